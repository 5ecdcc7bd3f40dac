// Detects unintended changes on the whole way from a text to the bytes of an index: tests/end_to_end/golden has small
// texts in many languages and formats, and the hash of every file of the indexes made of them with various options.
// After an intended change, run this test with SPILLWAY_REGENERATE_GOLDEN=1 and read the difference.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <sstream>

#include "io/base/bytes.hpp"
#include "io/base/checksum.hpp"
#include "tests/end_to_end/indexing.hpp"
#include "tests/support/places.hpp"
#include "text/analysis/analyzer.hpp"
#include "tools/options/index.hpp"

namespace spillway {
namespace {

using namespace testing;

const std::string kGolden = testing::source_directory() + "/tests/end_to_end/golden/";
const std::string kHashes = kGolden + "hashes.txt";

struct Case {
  std::string name, input;
  CorpusFormat format;
  std::function<void(ContentOptions&)> choose;
};

void choose_stemmer(ContentOptions& content, const char* stemmer) { content.stemmer = stemmer; }

std::vector<Case> cases() {
  const std::string texts = "languages.jsonl";
  const auto stemmed = [&](const char* stemmer) {
    return Case{std::string("stem-") + stemmer, texts, CorpusFormat::kJsonl,
                [stemmer](ContentOptions& content) { choose_stemmer(content, stemmer); }};
  };
  return {
      {"default", texts, CorpusFormat::kAuto, [](ContentOptions&) {}},
      {"positions", texts, CorpusFormat::kJsonl, [](ContentOptions& content) { content.positions = true; }},
      {"store-text", texts, CorpusFormat::kJsonl, [](ContentOptions& content) { content.store = StorePolicy::kText; }},
      {"store-none", texts, CorpusFormat::kJsonl, [](ContentOptions& content) { content.store = StorePolicy::kNone; }},
      {"ascii", texts, CorpusFormat::kJsonl, [](ContentOptions& content) { content.tokenizer = Tokenizer::kAscii; }},
      {"short-terms", texts, CorpusFormat::kJsonl, [](ContentOptions& content) { content.max_term_bytes = 6; }},
      {"keep-duplicates", texts, CorpusFormat::kJsonl,
       [](ContentOptions& content) { content.duplicate_ids = DuplicateIds::kKeep; }},
      {"stop-stem-positions-text", texts, CorpusFormat::kJsonl,
       [](ContentOptions& content) {
         content.stop_words = normalize_stop_words(english_stop_words(), content);
         content.stemmer = "english";
         content.positions = true;
         content.store = StorePolicy::kText;
       }},
      stemmed("porter"),
      stemmed("german"),
      stemmed("russian"),
      stemmed("french"),
      stemmed("turkish"),
      stemmed("arabic"),
      stemmed("hindi"),
      {"lines", texts, CorpusFormat::kLines, [](ContentOptions& content) { content.positions = true; }},
      {"text", texts, CorpusFormat::kText, [](ContentOptions& content) { content.store = StorePolicy::kText; }},
      {"trec", "documents.trec", CorpusFormat::kAuto, [](ContentOptions& content) { content.positions = true; }},
      {"tsv", "documents.tsv", CorpusFormat::kTsv, [](ContentOptions& content) { content.positions = true; }}};
}

// Libraries that decide about words and bytes.
std::string versions() {
  return "ICU " + UnicodeWords::icu_version() + ", stemmer " + TermFilter::stemmer_version("english") + ", zstd " +
         ZSTD_versionString();
}

// "<case> <file> <hash>" for every file of the index.
std::string hashes_of(const Case& golden, const ScratchDirectory& scratch) {
  IndexOptions options = index_job({kGolden + golden.input}, scratch / golden.name);
  options.corpus.format = golden.format;
  golden.choose(options.content);
  run_job(options);
  std::string lines;
  for (const auto& [file, bytes] : bytes_of(scratch / golden.name)) {
    lines += golden.name + " " + file + " " + to_hex(hash128(spillway::bytes_of(bytes))) + "\n";
  }
  return lines;
}

std::string lines_of_case(const std::string& hashes, const std::string& name) {
  std::istringstream in(hashes);
  std::string lines;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(name + " ")) lines += line + "\n";
  }
  return lines;
}

TEST(GoldenText, BecomesTheSameBytesOfAnIndex) {
  const ScratchDirectory scratch;
  std::string found = "# " + versions() + "\n";
  for (const Case& golden : cases()) found += hashes_of(golden, scratch);
  if (std::getenv("SPILLWAY_REGENERATE_GOLDEN") != nullptr) write_bytes(kHashes, found);
  const std::string expected = read_bytes(kHashes);
  if (!expected.starts_with("# " + versions() + "\n")) {
    GTEST_SKIP() << "the hashes are those of " << expected.substr(2, expected.find('\n') - 2) << ", this is "
                 << versions();
  }
  for (const Case& golden : cases()) {
    EXPECT_EQ(lines_of_case(found, golden.name), lines_of_case(expected, golden.name)) << golden.name;
  }
  EXPECT_EQ(found, expected) << "no case is missing";
}

}  // namespace
}  // namespace spillway
