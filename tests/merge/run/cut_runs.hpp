// The fixture of the merge tests: cuts a source into runs as the indexing pipeline does, also inside documents, and
// merges them again in several ways.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "io/file/memory_file.hpp"
#include "io/format/index_types.hpp"
#include "io/index/position_cursor.hpp"
#include "io/index/postings_cursor.hpp"
#include "io/index/reader.hpp"
#include "merge/index/merge.hpp"
#include "merge/input/documents.hpp"
#include "merge/input/run.hpp"
#include "merge/input/source_layout.hpp"
#include "merge/run/merge.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/near_terms.hpp"
#include "tests/support/read_length_codes.hpp"
#include "tests/support/sample_run.hpp"

namespace spillway::testing {

// Makes a sample whose document lengths are the sums of its frequencies, because merges check this.
inline SampleRun make_source(std::uint64_t seed, const SampleRunOptions& options) {
  SampleRun run = make_sample_run(seed, options);
  for (SampleDocument& document : run.documents) document.length = 0;
  for (const auto& [term, postings] : run.terms) {
    for (const SamplePosting& posting : postings) run.documents[posting.document].length += posting.frequency;
  }
  return run;
}

// Makes a source whose terms have long common prefixes.
inline SampleRun make_source_of_near_terms(std::uint64_t seed, std::size_t documents) {
  SampleRun run = make_source(seed, {.documents = documents, .terms = 0});
  std::mt19937_64 random(seed);
  for (const std::string& term : near_terms(seed, 300)) {
    for (std::size_t i = random() % documents; i < documents; i += 1 + random() % documents) {
      const auto frequency = static_cast<std::uint32_t>(1 + random() % 3);
      run.terms[term].push_back({static_cast<std::uint32_t>(i), frequency});
      run.documents[i].length += frequency;
    }
  }
  return run;
}

// A run in memory, ready to be merged.
struct HeldRun {
  std::unique_ptr<MemoryFile> file;
  std::unique_ptr<RunReader> reader;
  std::unique_ptr<RunInput> input;
};

class MergeTest : public ::testing::Test {
 protected:
  using Runs = std::vector<HeldRun>;

  static std::vector<const MergeInput*> inputs(const Runs& runs) {
    std::vector<const MergeInput*> all;
    for (const HeldRun& run : runs) all.push_back(run.input.get());
    return all;
  }

  HeldRun hold(const std::function<void(WritableFile&)>& write) {
    HeldRun run;
    run.file = std::make_unique<MemoryFile>(budget_, "run-" + std::to_string(next_name_++), 4096);
    write(*run.file);
    run.reader = std::make_unique<RunReader>(*run.file);
    run.input = std::make_unique<RunInput>(*run.reader);
    return run;
  }

  HeldRun write(const SampleRun& sample, RunIdentity identity, std::size_t block_bytes = kMinRunBlockBytes) {
    identity.job = options_.job();
    identity.has_positions = options_.positions;
    return hold([&](WritableFile& file) { write_sample_run(sample, {identity, block_bytes}, file); });
  }

  // Cuts the source in front of some documents and inside others, into at most `run_count` runs.
  Runs cut(const SampleRun& source, std::size_t run_count, std::mt19937_64& random);

  // Merges groups of random sizes until `rest` runs or fewer are left.
  Runs merge_passes(Runs runs, std::size_t rest, std::mt19937_64& random) {
    while (runs.size() > rest) {
      Runs merged;
      for (std::size_t begin = 0; begin < runs.size();) {
        const std::size_t end = std::min(runs.size(), begin + 2 + random() % 3);
        const auto all = inputs(runs);
        const std::span<const MergeInput* const> group(all.data() + begin, end - begin);
        RunMergeOptions options;
        options.block_bytes = kMinRunBlockBytes << random() % 4;
        options.run_number = begin;
        options.threads = 1 + static_cast<unsigned>(random() % 3);
        merged.push_back(hold([&](WritableFile& file) { merge_runs(group, file, options); }));
        begin = end;
      }
      runs = std::move(merged);
    }
    return runs;
  }

  struct Merged {
    std::map<std::string, std::string> files;  // name -> bytes
    IndexMergeResult result;
  };
  Merged merge_to_index(std::span<const MergeInput* const> all, const DroppedDocuments& dropped,
                        const IndexMergeOptions& options);
  Merged merge_to_index(const Runs& runs, const DroppedDocuments& dropped, const IndexMergeOptions& options) {
    return merge_to_index(inputs(runs), dropped, options);
  }

  // Returns the contents of the index at the last path as plain data.
  SampleRun read_index();
  std::string last_index() const { return "/job/index-" + std::to_string(next_index_ - 1); }

  // The files of a directory: name -> bytes.
  std::map<std::string, std::string> files_of(const std::string& directory) {
    std::map<std::string, std::string> files;
    for (const std::string& name : files_.list(directory)) files[name] = files_.get(directory + "/" + name);
    return files;
  }

  FaultyFileSystem files_;
  MemoryBudget budget_{std::size_t{1} << 30};
  ContentOptions options_ = [] {
    ContentOptions options;
    options.store = StorePolicy::kText;
    return options;
  }();

 private:
  unsigned next_name_ = 0, next_index_ = 0;
};

inline MergeTest::Runs MergeTest::cut(const SampleRun& source, std::size_t run_count, std::mt19937_64& random) {
  // A cut at 2 * d stands in front of document d, one at 2 * d + 1 inside it. Several may be inside one document.
  std::vector<std::size_t> cuts;
  for (std::size_t i = 1; i < run_count; ++i) {
    const std::size_t at = random() % (2 * source.documents.size());
    if (at == 0) continue;
    cuts.push_back(at);
    if (at % 2 == 1 && random() % 2 == 0) cuts.push_back(at);
  }
  std::sort(cuts.begin(), cuts.end());
  const auto same_even = [](std::size_t a, std::size_t b) { return a == b && a % 2 == 0; };
  cuts.erase(std::unique(cuts.begin(), cuts.end(), same_even), cuts.end());

  const std::size_t count = cuts.size() + 1;
  const auto first_document = [&](std::size_t run) { return run == 0 ? 0 : cuts[run - 1] / 2; };
  const auto first_open = [&](std::size_t run) { return run != 0 && cuts[run - 1] % 2 == 1; };
  std::vector<SampleRun> samples(count);
  for (std::size_t run = 0; run < count; ++run) {
    const std::size_t last = run + 1 == count ? source.documents.size() : cuts[run] / 2 + cuts[run] % 2;
    samples[run].documents.resize(last - first_document(run));
    for (std::size_t i = first_document(run); i < last; ++i) {
      SampleDocument& part = samples[run].documents[i - first_document(run)];
      const bool continues = i == first_document(run) && first_open(run);
      if (!continues) part = source.documents[i];
      const bool goes_on = i + 1 == last && run + 1 != count && first_open(run + 1);
      part.text_hash = goes_on ? std::nullopt : source.documents[i].text_hash;
      part.length = 0;
      part.text.reset();
    }
  }
  const auto runs_of = [&](std::size_t document) {
    std::pair<std::size_t, std::size_t> range{count, 0};
    for (std::size_t run = 0; run < count; ++run) {
      const std::size_t first = first_document(run);
      if (document < first || document >= first + samples[run].documents.size()) continue;
      range.first = std::min(range.first, run);
      range.second = run;
    }
    return range;
  };
  for (std::size_t i = 0; i < source.documents.size(); ++i) {
    const auto [from, to] = runs_of(i);
    if (!source.documents[i].text) continue;
    const std::string& text = *source.documents[i].text;
    for (std::size_t run = from; run <= to; ++run) {
      const std::size_t parts = to - from + 1, part = run - from;
      const std::size_t begin = text.size() * part / parts, end = text.size() * (part + 1) / parts;
      samples[run].documents[i - first_document(run)].text = text.substr(begin, end - begin);
    }
  }
  for (const auto& [term, postings] : source.terms) {
    for (const SamplePosting& posting : postings) {
      const auto [from, to] = runs_of(posting.document);
      std::uint32_t left = posting.frequency;
      for (std::size_t run = from; run <= to; ++run) {
        const std::uint32_t share = run == to ? left : static_cast<std::uint32_t>(random() % (left + 1));
        const std::size_t taken = posting.frequency - left;
        left -= share;
        if (share == 0) continue;
        const auto local = static_cast<std::uint32_t>(posting.document - first_document(run));
        SamplePosting& part = samples[run].terms[term].emplace_back(SamplePosting{local, share});
        if (!posting.positions.empty()) {
          const auto begin = posting.positions.begin() + static_cast<std::ptrdiff_t>(taken);
          part.positions.assign(begin, begin + share);
        }
        samples[run].documents[local].length += share;
      }
    }
  }
  Runs runs;
  for (std::size_t run = 0; run < count; ++run) {
    RunIdentity identity;
    identity.number = run;
    identity.first_document_open = first_open(run);
    identity.last_document_open = run + 1 != count && first_open(run + 1);
    runs.push_back(write(samples[run], identity, kMinRunBlockBytes << random() % 3));
  }
  return runs;
}

inline MergeTest::Merged MergeTest::merge_to_index(std::span<const MergeInput* const> all,
                                                   const DroppedDocuments& dropped, const IndexMergeOptions& options) {
  ++next_index_;
  const std::string path = last_index();
  IndexWriter writer(files_, path, options_);
  const LengthCodes codes = read_length_codes(all, dropped, budget_);
  Merged merged;
  if (options.most_threads == 1) {
    merge_documents(all, dropped, writer, budget_);
    merged.result = merge_lists(all, dropped, codes.span(), writer, options);
  } else {
    IndexMergeOptions both = options;
    both.beside = [&](const std::function<void()>& check) {
      merge_documents(all, dropped, writer, budget_, options.most_threads, check);
    };
    writer.start_list_helpers(std::size_t{1} << 20);
    merged.result = merge_lists(all, dropped, codes.span(), writer, both);
    writer.end_list_helpers();
  }
  std::vector<std::pair<std::string, std::uint32_t>> ids;
  std::uint32_t number = 0;
  for_each_document(all, {}, [&](std::uint32_t source, const RunDocument& document) {
    if (dropped.contains(source)) return ReadStep::kGoOn;
    if ((document.fields & RunDocument::kId) != 0) ids.emplace_back(document.id, number);
    ++number;
    return ReadStep::kGoOn;
  });
  std::sort(ids.begin(), ids.end());
  for (const auto& id : ids) writer.append_id_order(id.second);
  writer.finish({lay_out_source(all).document_count, lay_out_source(all).sum, merged.result.dropped_sum});
  merged.files = files_of(path);
  return merged;
}

inline SampleRun MergeTest::read_index() {
  const IndexReader index(files_, last_index());
  SampleRun read;
  TermTableCursor terms(index, "");
  while (terms.next()) {
    auto& postings = read.terms[terms.entry().term];
    PostingsCursor list(index, terms.entry());
    std::optional<PositionCursor> positions;
    if (options_.positions) positions.emplace(index, terms.entry());
    while (list.next_block()) {
      for (std::size_t i = 0; i < list.documents().size(); ++i) {
        SamplePosting& posting = postings.emplace_back(SamplePosting{list.documents()[i], list.frequencies()[i]});
        if (!positions) continue;
        positions->seek(list, i);
        for (auto some = positions->next(); !some.empty(); some = positions->next()) {
          posting.positions.insert(posting.positions.end(), some.begin(), some.end());
        }
      }
    }
  }
  for (std::uint32_t i = 0; i < index.counts().documents; ++i) {
    const StoredDocument stored = index.document(i);
    SampleDocument& document = read.documents.emplace_back();
    document.length = stored.length;
    if ((stored.fields & RunDocument::kId) != 0) document.id = stored.id;
    if ((stored.fields & RunDocument::kTitle) != 0) document.title = stored.title;
    if ((stored.fields & RunDocument::kUrl) != 0) document.url = stored.url;
    if ((stored.fields & RunDocument::kDate) != 0) document.date = stored.date;
    if ((stored.fields & RunDocument::kText) != 0) document.text = index.document_text(i);
  }
  return read;
}

// The source without the dropped documents, renumbered: what the index must hold.
inline SampleRun without(const SampleRun& source, const std::vector<bool>& dropped) {
  SampleRun kept;
  std::vector<std::uint32_t> numbers(source.documents.size());
  for (std::size_t i = 0; i < source.documents.size(); ++i) {
    numbers[i] = static_cast<std::uint32_t>(kept.documents.size());
    if (!dropped[i]) kept.documents.push_back(source.documents[i]);
  }
  for (const auto& [term, postings] : source.terms) {
    for (const SamplePosting& posting : postings) {
      if (dropped[posting.document]) continue;
      kept.terms[term].push_back({numbers[posting.document], posting.frequency, posting.positions});
    }
  }
  return kept;
}

}  // namespace spillway::testing
