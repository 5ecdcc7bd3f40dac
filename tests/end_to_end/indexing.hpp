// Helpers of the end-to-end tests: corpora on disk, jobs through the library, and indexes as bytes.
#pragma once

#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "indexer/job/index_job.hpp"
#include "indexer/job/merge_job.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/index/position_cursor.hpp"
#include "io/index/verify.hpp"
#include "io/memory/budget.hpp"
#include "io/memory/program_bytes.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/inverted_oracle.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway::testing {

using Documents = std::vector<OracleDocument>;

// Every job ends with a few fsyncs, and there are hundreds of jobs: scratch directories are in memory where they can
// be.
inline const bool kScratchInMemory = [] {
  std::error_code error;
  const auto space = std::filesystem::space("/dev/shm", error);
  if (error || space.available < (std::uint64_t{1} << 30)) return false;
  return setenv("TMPDIR", "/dev/shm", 0) == 0;
}();

inline std::string jsonl_line(const OracleDocument& document) {
  nlohmann::json record{{"id", document.id}, {"text", document.text}};
  if (!document.title.empty()) record["title"] = document.title;
  if (!document.url.empty()) record["url"] = document.url;
  if (!document.date.empty()) record["date"] = document.date;
  return record.dump() + "\n";
}

inline std::string jsonl_of(const Documents& documents) {
  std::string text;
  for (const OracleDocument& document : documents) text += jsonl_line(document);
  return text;
}

inline std::string lines_of(const Documents& documents) {
  std::string text;
  for (const OracleDocument& document : documents) text += document.text + "\n";
  return text;
}

// Returns the documents as the format `lines` reads them: a text without line ends, and nothing else.
inline Documents as_lines(Documents documents) {
  for (OracleDocument& document : documents) {
    std::replace(document.text.begin(), document.text.end(), '\n', ' ');
    document = {"", "", "", "", document.text};
  }
  return documents;
}

// Documents with ids, a few of them more than once.
inline Documents random_corpus(std::uint64_t seed, const RandomDocuments& shape, bool with_duplicates) {
  Documents documents = random_documents(seed, shape);
  std::mt19937_64 random(seed + 1000);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    documents[i].id = "id" + std::to_string(i * 7919 % 10007) + "-" + std::to_string(i);
    if (with_duplicates && i != 0 && random() % 6 == 0) documents[i].id = documents[random() % i].id;
  }
  return documents;
}

// The documents that are kept with --duplicate-ids first.
inline Documents without_duplicates(const Documents& documents) {
  Documents kept;
  std::set<std::string> ids;
  for (const OracleDocument& document : documents) {
    if (ids.insert(document.id).second) kept.push_back(document);
  }
  return kept;
}

inline std::string unpack_zstd(const std::string& path) {
  const std::string packed = read_bytes(path);
  std::string text, fragment(1 << 20, '\0');
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  while (in.pos < in.size) {
    ZSTD_outBuffer out{fragment.data(), fragment.size(), 0};
    const std::size_t result = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(result) != 0) throw std::runtime_error(path + ": " + ZSTD_getErrorName(result));
    text.append(fragment, 0, out.pos);
  }
  return text;
}

inline Documents parse_jsonl(const std::string& text) {
  Documents documents;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const auto record = nlohmann::json::parse(text.substr(begin, end - begin));
    documents.push_back({record.at("id"), record.value("title", ""), record.value("url", ""), record.value("date", ""),
                         record.value("text", "")});
    begin = end + 1;
  }
  return documents;
}

// Returns a tight budget that includes the memory of this test program (with a sanitizer, hundreds of megabytes).
inline std::uint64_t tight_memory(std::uint64_t mebibytes) { return program_bytes() + (mebibytes << 20); }

inline IndexOptions index_job(const std::vector<std::string>& inputs, const std::string& output) {
  IndexOptions options;
  options.inputs = inputs;
  options.output = output;
  options.memory_bytes = tight_memory(200);
  options.threads = 2;
  options.max_error_rate = 1;
  return options;
}

inline IndexReport run_job(const IndexOptions& options) {
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const auto ignore = [](const std::string&) {};
  IndexReport report;
  run_index(options, {posix_file_system(), signal_number, progress, ignore, ignore}, report);
  EXPECT_FALSE(std::filesystem::exists(options.output + ".work"));
  return report;
}

inline MergeReport run_merge_job(const MergeOptions& options) {
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const auto ignore = [](const std::string&) {};
  MergeReport report;
  run_merge(options, {posix_file_system(), signal_number, progress, ignore, ignore}, report);
  EXPECT_FALSE(std::filesystem::exists(options.output + ".work"));
  return report;
}

// Every file of an index by name.
inline std::map<std::string, std::string> bytes_of(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    files[entry.path().filename()] = read_bytes(entry.path());
  }
  return files;
}

// Names the first file that differs, not its bytes.
inline ::testing::AssertionResult same_index(const std::map<std::string, std::string>& expected,
                                             const std::string& directory) {
  const auto found = bytes_of(directory);
  if (found == expected) return ::testing::AssertionSuccess();
  for (const auto& [name, bytes] : expected) {
    const auto other = found.find(name);
    if (other == found.end()) return ::testing::AssertionFailure() << directory << " has no file " << name;
    if (other->second != bytes) {
      const auto differ = std::mismatch(bytes.begin(), bytes.end(), other->second.begin(), other->second.end());
      return ::testing::AssertionFailure()
             << directory << "/" << name << " differs from byte " << differ.first - bytes.begin() << " on ("
             << bytes.size() << " and " << other->second.size() << " bytes)";
    }
  }
  return ::testing::AssertionFailure() << directory << " has more files";
}

// Returns the positions of each posting of a list, by document.
inline std::map<std::uint32_t, std::vector<std::uint32_t>> positions_of(const IndexReader& index,
                                                                        const TermEntry& entry) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> found;
  PostingsCursor postings(index, entry);
  PositionCursor positions(index, entry);
  while (postings.next_block()) {
    for (std::size_t i = 0; i < postings.documents().size(); ++i) {
      std::vector<std::uint32_t>& all = found[postings.documents()[i]];
      positions.seek(postings, i);
      for (auto some = positions.next(); !some.empty(); some = positions.next()) {
        all.insert(all.end(), some.begin(), some.end());
      }
    }
  }
  return found;
}

// Compares everything that an index returns with what it should hold.
inline void expect_equals_oracle(const std::string& directory, const Documents& documents,
                                 const ContentOptions& options) {
  const InvertedOracle oracle = invert(documents, options);
  const IndexReader index(posix_file_system(), directory);
  const IndexCounts& counts = index.counts();
  ASSERT_EQ(counts.documents, documents.size());
  EXPECT_EQ(counts.terms, oracle.lists.size());
  EXPECT_EQ(counts.postings, oracle.posting_count());
  EXPECT_EQ(counts.occurrences, oracle.occurrence_count());
  auto expected = oracle.lists.begin();
  TermTableCursor terms(index, "");
  std::uint64_t number = 0;
  while (terms.next()) {
    const TermEntry& entry = terms.entry();
    ASSERT_NE(expected, oracle.lists.end());
    ASSERT_EQ(entry.term, expected->first);
    EXPECT_EQ(entry.number, number++);
    InvertedOracle::List list;
    PostingsCursor postings(index, entry);
    while (postings.next_block()) {
      for (std::size_t i = 0; i < postings.documents().size(); ++i) {
        list[postings.documents()[i]] = postings.frequencies()[i];
      }
    }
    ASSERT_EQ(list, expected->second) << entry.term;
    if (options.positions) {
      ASSERT_EQ(positions_of(index, entry), oracle.positions.at(entry.term)) << entry.term;
    }
    if (number % 50 == 0) {
      const auto found = index.find_term(entry.term);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->number, entry.number);
    }
    ++expected;
  }
  EXPECT_EQ(expected, oracle.lists.end());
  EXPECT_FALSE(index.find_term("no such term \xFF"));
  for (std::uint32_t i = 0; i < documents.size(); ++i) {
    const OracleDocument& document = documents[i];
    const StoredDocument stored = index.document(i);
    ASSERT_EQ(stored.length, oracle.lengths[i]);
    ASSERT_EQ(index.document_length(i), oracle.lengths[i]);
    ASSERT_EQ(stored.id, document.id.empty() ? std::to_string(i + 1) : document.id);
    ASSERT_EQ(index.document_text(i), options.store == StorePolicy::kText ? document.text : "");
    if (options.store == StorePolicy::kNone) continue;
    ASSERT_EQ(stored.title, document.title);
    ASSERT_EQ(stored.url, document.url);
    ASSERT_EQ(stored.date, document.date);
  }
  EXPECT_NO_THROW(verify_index(index));
}

}  // namespace spillway::testing
