#include "tests/support/sample_run.hpp"

#include <algorithm>

#include "io/base/error.hpp"
#include "io/base/varint.hpp"
#include "io/checksum/position_sums.hpp"
#include "io/run/decode_positions.hpp"
#include "io/run/document_cursor.hpp"
#include "io/run/postings_decoder.hpp"
#include "io/run/reader.hpp"
#include "io/run/term_block_builder.hpp"
#include "io/run/term_cursor.hpp"
#include "io/run/writer.hpp"

namespace spillway::testing {

namespace {

std::string random_bytes(std::mt19937_64& random, std::size_t at_least, std::size_t at_most) {
  std::string result(at_least + random() % (at_most - at_least + 1), '\0');
  // Few letters, so that terms share prefixes, and occasionally any byte.
  for (char& c : result) c = static_cast<char>(random() % 8 == 0 ? random() : 'a' + random() % 3);
  return result;
}

std::optional<std::string> maybe(std::mt19937_64& random, std::size_t at_most) {
  if (random() % 3 == 0) return std::nullopt;
  return random_bytes(random, 0, at_most);
}

RunDocument as_run_document(const SampleDocument& from) {
  RunDocument to;
  to.length = from.length;
  const auto set = [&](const std::optional<std::string>& text, std::uint8_t bit, std::string_view& view) {
    if (!text) return;
    to.fields |= bit;
    view = *text;
  };
  set(from.id, RunDocument::kId, to.id);
  set(from.title, RunDocument::kTitle, to.title);
  set(from.url, RunDocument::kUrl, to.url);
  set(from.date, RunDocument::kDate, to.date);
  set(from.text, RunDocument::kText, to.text);
  set(from.text_hash, RunDocument::kTextHash, to.text_hash);
  return to;
}

SampleDocument as_sample_document(const RunDocument& from) {
  const auto get = [&](std::uint8_t bit, std::string_view view) -> std::optional<std::string> {
    if ((from.fields & bit) == 0) return std::nullopt;
    return std::string(view);
  };
  return {from.length,
          get(RunDocument::kId, from.id),
          get(RunDocument::kTitle, from.title),
          get(RunDocument::kUrl, from.url),
          get(RunDocument::kDate, from.date),
          get(RunDocument::kText, from.text),
          get(RunDocument::kTextHash, from.text_hash)};
}

// Returns the largest number of `postings`, starting at `from`, that fit `room`.
std::size_t fitting_count(const std::vector<SamplePosting>& postings, std::size_t from, std::size_t room) {
  std::size_t count = 0, bytes = 0;
  for (; from + count < postings.size(); ++count) {
    const std::uint64_t before = count == 0 ? 0 : postings[from + count - 1].document;
    const SamplePosting& posting = postings[from + count];
    bytes +=
        varint_bytes((posting.document - before) << 1) + (posting.frequency == 1 ? 0 : varint_bytes(posting.frequency));
    bytes += encode_positions({posting}).size();
    if (bytes > room) break;
  }
  return count;
}

void add_list(const std::string& term, const std::vector<SamplePosting>& postings, bool has_positions,
              TermBlockBuilder& builder, RunWriter& writer) {
  for (std::size_t from = 0; from < postings.size();) {
    const std::size_t count = fitting_count(postings, from, builder.room(term));
    if (count == 0) {
      writer.append_terms(builder.finish());
      continue;
    }
    const auto begin = postings.begin() + static_cast<std::ptrdiff_t>(from);
    const std::vector<SamplePosting> part(begin, begin + static_cast<std::ptrdiff_t>(count));
    const std::vector<std::uint8_t> bytes = encode_postings(part);
    const std::vector<std::uint8_t> position_bytes = encode_positions(part);
    RunEntry entry;
    entry.term = term;
    entry.document_count = static_cast<std::uint32_t>(count);
    for (const SamplePosting& posting : part) entry.occurrence_count += posting.frequency;
    entry.last_document = part.back().document;
    entry.postings = bytes;
    if (has_positions) entry.positions = position_bytes;
    builder.add(entry);
    from += count;
  }
}

void require(bool holds, const char* what) {
  if (!holds) throw FormatError(std::string("the sample run read back: ") + what);
}

void take_positions(std::span<const std::uint32_t> distances, std::vector<SamplePosting>& postings) {
  PositionSums sums;
  for (SamplePosting& posting : postings) {
    sums.take({&posting.frequency, 1}, distances.first(posting.frequency));
    require(sums.ascends(), "positions do not ascend");
    std::uint32_t position = 0;
    for (const std::uint32_t distance : distances.first(posting.frequency)) {
      posting.positions.push_back(position += distance);
    }
    distances = distances.subspan(posting.frequency);
  }
}

// Joins a posting that is cut between two entries.
void add_entry(std::vector<SamplePosting>& postings, std::vector<SamplePosting>& more) {
  auto first = more.begin();
  if (!postings.empty() && postings.back().document == first->document) {
    SamplePosting& joined = postings.back();
    require(joined.positions.back() < first->positions.front(), "positions do not ascend");
    joined.frequency += first->frequency;
    joined.positions.insert(joined.positions.end(), first->positions.begin(), first->positions.end());
    ++first;
  }
  postings.insert(postings.end(), first, more.end());
}

}  // namespace

RunSummary SampleRun::summary() const {
  RunSummary result;
  result.document_count = documents.size();
  for (const SampleDocument& document : documents) result.has_stored_ids |= document.id.has_value();
  for (const auto& [term, postings] : terms) {
    DocumentWeight weight, position_weight;
    for (const SamplePosting& posting : postings) {
      ++result.posting_count;
      result.occurrence_count += posting.frequency;
      weight.add(posting.document, posting.frequency);
      for (const std::uint32_t position : posting.positions) {
        position_weight.add(posting.document, position_value(position));
      }
    }
    result.sum.add(hash_term(term), weight.take());
    result.sum.add_positions(hash_term(term), position_weight.take());
  }
  return result;
}

SampleRun make_sample_run(std::uint64_t seed, const SampleRunOptions& options) {
  std::mt19937_64 random(seed);
  SampleRun run;
  run.documents.resize(options.documents);
  for (SampleDocument& document : run.documents) {
    document.id = maybe(random, 12);
    document.title = maybe(random, 40);
    document.url = maybe(random, 40);
    document.date = maybe(random, 10);
    document.text = maybe(random, options.longest_text_bytes);
  }
  for (std::size_t i = 0; i < options.terms; ++i) {
    std::vector<SamplePosting>& postings = run.terms[random_bytes(random, 1, options.longest_term_bytes)];
    postings.clear();
    const std::uint64_t density = 1 + random() % 20;
    for (std::uint32_t document = 0; document < options.documents; ++document) {
      if (random() % density != 0) continue;
      postings.push_back({document, static_cast<std::uint32_t>(1 + random() % options.largest_frequency)});
    }
    if (postings.empty()) postings.push_back({0, 1});
    for (const SamplePosting& posting : postings) run.documents[posting.document].length += posting.frequency;
  }
  return run;
}

std::vector<std::uint8_t> encode_postings(const std::vector<SamplePosting>& postings) {
  std::vector<std::uint8_t> bytes;
  std::uint8_t number[kMaxVarintBytes];
  std::uint64_t before = 0;
  for (const SamplePosting& posting : postings) {
    const std::uint64_t head = (posting.document - before) << 1 | (posting.frequency == 1 ? 1 : 0);
    bytes.insert(bytes.end(), number, write_varint(number, head));
    if (posting.frequency != 1) bytes.insert(bytes.end(), number, write_varint(number, posting.frequency));
    before = posting.document;
  }
  return bytes;
}

std::vector<std::uint8_t> encode_positions(const std::vector<SamplePosting>& postings) {
  std::vector<std::uint8_t> bytes;
  std::uint8_t number[kMaxVarintBytes];
  for (const SamplePosting& posting : postings) {
    std::uint32_t before = 0;
    for (const std::uint32_t position : posting.positions) {
      bytes.insert(bytes.end(), number, write_varint(number, position - before));
      before = position;
    }
  }
  return bytes;
}

void add_positions(SampleRun& run, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (auto& [term, postings] : run.terms) {
    for (SamplePosting& posting : postings) {
      std::uint32_t position = static_cast<std::uint32_t>(random() % 300);
      for (std::uint32_t i = 0; i < posting.frequency; ++i) {
        posting.positions.push_back(position);
        position += 1 + static_cast<std::uint32_t>(random() % 20 == 0 ? random() % 100000 : random() % 100);
      }
    }
  }
}

RunSummary write_sample_run(const SampleRun& run, const SampleWriting& writing, WritableFile& file) {
  RunWriter writer(file, writing.identity, writing.block_bytes);
  TermBlockBuilder builder(writing.block_bytes, writing.identity.has_positions);
  RunSummary summary = run.summary();
  std::size_t next_document = 0;
  const auto append_documents = [&](std::size_t until) {
    std::vector<std::uint8_t> stream;
    for (; next_document < until; ++next_document) {
      append_run_document(as_run_document(run.documents[next_document]), stream);
    }
    writer.append_documents(stream);
  };
  std::size_t terms_done = 0;
  for (const auto& [term, postings] : run.terms) {
    add_list(term, postings, writing.identity.has_positions, builder, writer);
    append_documents(run.documents.size() * ++terms_done / run.terms.size());
  }
  if (!builder.empty()) writer.append_terms(builder.finish());
  append_documents(run.documents.size());
  summary.entry_count = writer.entry_count();
  writer.finish(summary);
  return summary;
}

SampleRun read_sample_run(const ReadableFile& file) {
  const RunReader reader(file);
  SampleRun run;
  RunTermCursor terms(reader, "", "");
  std::vector<std::uint32_t> documents, frequencies, distances;
  while (terms.next()) {
    const RunEntry& entry = terms.entry();
    decode_postings(entry, file.path(), documents, frequencies);
    std::vector<SamplePosting> more;
    for (std::size_t i = 0; i < documents.size(); ++i) more.push_back({documents[i], frequencies[i]});
    if (reader.identity().has_positions) {
      decode_positions(entry, file.path(), distances);
      take_positions(distances, more);
    }
    add_entry(run.terms[std::string(entry.term)], more);
  }
  RunDocumentCursor cursor(reader);
  while (cursor.next()) run.documents.push_back(as_sample_document(cursor.document()));
  const RunSummary summary = run.summary();
  require(summary.sum == reader.summary().sum, "the sum differs");
  require(reader.identity().has_positions ? summary.posting_count <= reader.summary().posting_count
                                          : summary.posting_count == reader.summary().posting_count,
          "the postings differ");
  require(summary.occurrence_count == reader.summary().occurrence_count, "the occurrences differ");
  require(summary.document_count == reader.summary().document_count, "the documents differ");
  require(summary.has_stored_ids == reader.summary().has_stored_ids, "the presence of ids differs");
  return run;
}

}  // namespace spillway::testing
