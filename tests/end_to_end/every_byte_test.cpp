// Every byte of small indexes is changed, and every file is cut and lengthened: verification finds each change, and
// whatever reads the index gives the right answer or a FormatError. The files are in memory.
#include <gtest/gtest.h>

#include <functional>

#include "io/base/error.hpp"
#include "io/index/cursors.hpp"
#include "search/block_max_ranker.hpp"
#include "search/exhaustive_ranker.hpp"
#include "tests/end_to_end/indexing.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/golden_index.hpp"
#include "tests/support/sample_index.hpp"

namespace spillway {
namespace {

using testing::FaultyFileSystem;
using testing::SampleIndex;

const std::string kIndex = "/job/index", kOutput = "/job/out";
const std::array<std::uint8_t, 3> kChanges{0x01, 0x80, 0xFF};

void write(FaultyFileSystem& files, SampleIndex sample) {
  sample.options.tokenizer = Tokenizer::kAscii;
  sample.options.zstd_version = ZSTD_versionString();
  write_sample(files, kIndex, sample);
}

void write_empty(FaultyFileSystem& files) { write(files, testing::make_sample(0, 0, 1)); }

// No ids, fields, positions or dropped documents; a list with bounds.
void write_plain(FaultyFileSystem& files) {
  SampleIndex sample;
  sample.documents.resize(130);
  for (std::uint32_t d = 0; d < 130; ++d) sample.lists["all"].emplace_back(d, 1 + d % 3);
  sample.lists["one"] = {{7, 2}};
  sample.lists["some"] = {{1, 1}, {7, 5}, {100, 1}};
  write(files, sample);
}

// Lists of a tail, of one block and of more; positions, ids, fields, texts and dropped documents.
void write_full(FaultyFileSystem& files) {
  SampleIndex sample = testing::make_sample(131, 0, 7);
  sample.options.positions = true;
  sample.options.store = StorePolicy::kText;
  for (std::uint32_t d = 0; d < 131; ++d) {
    sample.lists["all"].emplace_back(d, 1);
    if (d < 128) sample.lists["block"].emplace_back(d, d % 5 == 0 ? 2 : 1);
    if (d >= 6) sample.documents[d] = {};
  }
  sample.lists["one"] = {{17, 3}};
  sample.lists["some"] = {{0, 1}, {5, 140}, {130, 2}};
  write(files, sample);
}

// A term table of several nodes.
void write_many_terms(FaultyFileSystem& files) { write(files, testing::golden_sample()); }

// Merged from two parts, of which one had duplicates.
void write_merged(FaultyFileSystem& files) {
  MergeOptions merge;
  merge.output = kIndex;
  merge.memory_bytes = testing::tight_memory(200);
  merge.threads = 1;
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const auto ignore = [](const std::string&) {};
  const IndexContext context{files, signal_number, progress, ignore, ignore};
  for (const char* part : {"/job/a", "/job/b"}) {
    files.put(std::string(part) + ".jsonl", std::string("{\"id\":\"same\",\"text\":\"all of one\"}\n{\"id\":\"") +
                                                part + "\",\"title\":\"Some\",\"text\":\"all some block\"}\n");
    IndexOptions options = testing::index_job({std::string(part) + ".jsonl"}, part);
    options.content.positions = true;
    options.content.store = StorePolicy::kText;
    IndexReport report;
    run_index(options, context, report);
    merge.inputs.push_back(part);
  }
  MergeReport report;
  run_merge(merge, context, report);
}

struct Kind {
  const char* name;
  void (*write)(FaultyFileSystem&);
};
const std::array<Kind, 5> kKinds{{{"Empty", write_empty},
                                  {"Plain", write_plain},
                                  {"Full", write_full},
                                  {"Merged", write_merged},
                                  {"ManyTerms", write_many_terms}}};

using testing::read_everything;

std::string rankings_of(const IndexReader& index) {
  std::ostringstream out;
  out.precision(17);
  const Bm25 bm25(index.counts(), {});
  BlockMaxRanker skipping(index, bm25);
  ExhaustiveRanker scanning(index, bm25);
  Query phrase;
  if (index.options().positions) {
    phrase.clauses.push_back({.words = {{"all", 0}, {"some", 1}}, .count = 1});
  }
  for (const Query& query : {query_of({{"all", 1}, {"some", 1}}), query_of({{"block", 2}, {"one", 1}}), phrase}) {
    for (Ranker* ranker : {static_cast<Ranker*>(&skipping), static_cast<Ranker*>(&scanning)}) {
      for (const RankedDocument& ranked : ranker->best(query, 3)) {
        out << ranked.document << ' ' << ranked.score << ' ' << index.document_id(ranked.document) << '\n';
      }
    }
  }
  return out.str();
}

// What a merge reads: entries, documents and texts, numbered as in the source.
std::string inputs_of(const IndexReader& index) {
  std::ostringstream out;
  IndexTermCursor terms(index, "", "");
  while (terms.next()) {
    const RunEntry& entry = terms.entry();
    out << entry.term << ' ' << entry.occurrence_count << ' ';
    for (const auto& bytes : {entry.postings, entry.positions}) {
      out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
  }
  IndexDocumentCursor documents(index);
  while (documents.next()) {
    const RunDocument& document = documents.document();
    out << int{document.fields} << ' ' << document.length << ' ' << document.id << document.title << document.url
        << document.date << '\n';
  }
  IndexTextCursor texts(index);
  while (texts.next()) out << texts.fragment().bytes << '|';
  return out.str();
}

// The bytes of the index that a merge of this one index gives.
std::string merge_of(FaultyFileSystem& files) {
  files.remove_tree(kOutput);
  MergeOptions options;
  options.inputs = {kIndex};
  options.output = kOutput;
  options.memory_bytes = testing::tight_memory(200);
  options.threads = 1;
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const auto ignore = [](const std::string&) {};
  MergeReport report;
  run_merge(options, {files, signal_number, progress, ignore, ignore}, report);
  std::string all;
  for (const std::string& name : files.list(kOutput)) all += name + files.get(kOutput + "/" + name);
  return all;
}

class EveryByte : public ::testing::TestWithParam<Kind> {
 protected:
  EveryByte() { GetParam().write(files_); }

  // Calls `check` with each file changed in one byte, in each of the ways.
  void change_each(std::span<const std::uint8_t> ways, const std::function<void()>& check) {
    for (const std::string& name : files_.list(kIndex)) {
      const std::string path = kIndex + "/" + name, good = files_.get(path);
      std::string bytes = good;
      for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const std::uint8_t way : ways) {
          bytes[at] = static_cast<char>(static_cast<std::uint8_t>(good[at]) ^ way);
          files_.put(path, bytes);
          check();
          if (HasFatalFailure()) FAIL() << path << " at " << at << " xor " << int{way};
        }
        bytes[at] = good[at];
      }
      files_.put(path, good);
    }
  }

  // Calls `check` with each file cut to each smaller size, and longer by one byte.
  void cut_each(const std::function<void()>& check) {
    for (const std::string& name : files_.list(kIndex)) {
      const std::string path = kIndex + "/" + name, good = files_.get(path);
      for (std::size_t size = 0; size <= good.size(); ++size) {
        files_.put(path, size < good.size() ? good.substr(0, size) : good + '\0');
        check();
        if (HasFatalFailure()) FAIL() << path << " cut to " << size;
      }
      files_.put(path, good);
    }
  }

  void expect_found() {
    try {
      verify_index(IndexReader(files_, kIndex));
    } catch (const FormatError&) {
      ++found_;
      return;
    }
    FAIL() << "it was not found";
  }

  std::size_t found_ = 0;
  FaultyFileSystem files_;
};

TEST_P(EveryByte, ThatChangesIsFoundByVerification) {
  verify_index(IndexReader(files_, kIndex));
  change_each(kChanges, [&] { expect_found(); });
  EXPECT_GT(found_, 3 * 14 * 96u);
  verify_index(IndexReader(files_, kIndex));
}

TEST_P(EveryByte, ThatIsCutOffOrAddedIsFoundByEveryReaderAtOnce) {
  std::size_t cuts = 0;
  cut_each([&] {
    ASSERT_THROW(IndexReader(files_, kIndex), FormatError);
    ++cuts;
  });
  EXPECT_GT(cuts, 14 * 96u);
}

TEST_P(EveryByte, ThatChangesGivesTheRightAnswerOrAnError) {
  const std::array<std::string (*)(const IndexReader&), 3> readings{read_everything, rankings_of, inputs_of};
  std::vector<std::string> expected;
  for (const auto& read : readings) expected.push_back(read(IndexReader(files_, kIndex)));
  std::size_t right = 0, refused = 0, calls = 0;
  change_each(kChanges, [&] {
    if (GetParam().write == write_many_terms && ++calls % 23 != 0) return;  // its many lists take long to read
    for (std::size_t i = 0; i < readings.size(); ++i) {
      try {
        ASSERT_EQ(readings[i](IndexReader(files_, kIndex)), expected[i]);
        ++right;
      } catch (const FormatError&) {
        ++refused;
      }
    }
  });
  EXPECT_GT(refused, 3 * 3 * 14 * 32u) << "every header and footer is checked";
  EXPECT_TRUE(right > 0 || GetParam().write == write_empty);
}

TEST_P(EveryByte, ThatChangesGivesTheSameMergeOrAnError) {
  const std::string expected = merge_of(files_);
  std::size_t right = 0, refused = 0;
  change_each(kChanges, [&] {
    try {
      ASSERT_EQ(merge_of(files_), expected);
      ++right;
    } catch (const FormatError&) {
      ++refused;
      ASSERT_FALSE(files_.status(kOutput) || files_.status(kOutput + ".work")) << "something is left";
    }
  });
  EXPECT_GT(refused, 3 * 14 * 32u) << "every header and footer is checked";
  EXPECT_TRUE(right > 0 || GetParam().write == write_empty) << "nothing reads the order of ids";
}

INSTANTIATE_TEST_SUITE_P(Of, EveryByte, ::testing::ValuesIn(kKinds),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace spillway
