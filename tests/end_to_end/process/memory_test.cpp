// Measures the peak resident memory of the real program: `index` and `merge` stay within --memory plus 5 %, `search`
// and `verify` within the pages of the index and a little more.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>

#include "io/file/posix_file_system.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/records/warc_samples.hpp"
#include "tests/end_to_end/indexing.hpp"
#include "tests/support/run_program.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_spillway;
using testing::ScratchDirectory;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr std::size_t kMemory = 64 * kMebibyte;
constexpr std::size_t kAllowed = kMemory / 100 * 105;

// Words in Zipf's manner: every third word is one of few, the others are of `distinct`.
class WordSource {
 public:
  explicit WordSource(std::uint64_t distinct) : distinct_(distinct) {}

  void append(std::string& text) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t random = state_ >> 20;
    text += "w";
    text += std::to_string(random % 3 == 0 ? random / 3 % 50 : random / 3 % distinct_);
    text += ' ';
  }

 private:
  std::uint64_t distinct_, state_ = 1;
};

class PeakMemory : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers take memory of their own";
#endif
    if (run({"--version"}).peak_resident_bytes == 0) GTEST_SKIP() << "the system lets no process trace another";
  }

  static ProgramResult run(const Words& words) { return run_spillway(words, {.measure_memory = true}); }

  // JSON lines with `documents` documents of about `bytes` bytes each. Ids begin with `prefix`.
  std::string write_jsonl(const std::string& name, std::size_t documents, std::size_t bytes, std::uint64_t distinct,
                          const std::string& prefix = "id") {
    std::ofstream out(scratch_ / name, std::ios::binary);
    WordSource words(distinct);
    std::string text;
    for (std::size_t i = 0; i < documents; ++i) {
      out << R"({"id":")" << prefix << i << R"(","title":"Title )" << i << R"(","text":")";
      for (std::size_t written = 0; written < bytes; written += text.size()) {
        text.clear();
        while (text.size() < std::min<std::size_t>(bytes, 4000)) words.append(text);
        out << text;
      }
      out << "\"}\n";
    }
    return scratch_ / name;
  }

  Words index_words(const std::string& input, const Words& more = {}) const {
    Words words{"index", input, "-o", scratch_ / "out", "--force", "--memory", "64M", "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static void expect_within(const ProgramResult& result, std::size_t allowed) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_GT(result.peak_resident_bytes, kMebibyte);
    EXPECT_LE(result.peak_resident_bytes, allowed);
  }
  // Indexes files with a line each: a few, which a list names again and again.
  ProgramResult index_small_files(std::uint64_t listed, const std::string& bytes) const {
    constexpr std::uint64_t kDistinct = 100;
    const std::string deep = scratch_ / (std::string(100, 'a') + "/" + std::string(100, 'b'));
    fs::create_directories(deep);
    for (std::uint64_t i = 0; i < kDistinct; ++i) testing::write_bytes(deep + "/" + std::to_string(i), bytes);
    {
      std::ofstream list(scratch_ / "list");
      for (std::uint64_t i = 0; i < listed; ++i) list << deep << "/" << i % kDistinct << "\n";
    }
    ProgramResult result = run(index_words("@" + (scratch_ / "list"), {"--format", "lines"}));
    EXPECT_EQ(IndexReader(posix_file_system(), scratch_ / "out").counts().documents, listed) << result.err;
    return result;
  }
  static std::size_t bytes_in(const std::string& directory) {
    std::size_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(directory)) bytes += entry.file_size();
    return bytes;
  }

  ScratchDirectory scratch_;
};

// The measure can fail: with more memory, the same job takes more than the others are allowed.
TEST_F(PeakMemory, OfAnIndexJobWithMoreMemoryIsHigher) {
  const std::string input = write_jsonl("in.jsonl", 10'000, 2000, 300'000);
  const ProgramResult result = run({"index", input, "-o", scratch_ / "out", "--memory", "1G", "-q"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_GT(result.peak_resident_bytes, kAllowed);
}

class PeakMemoryOfModes : public PeakMemory, public ::testing::WithParamInterface<const char*> {};

TEST_P(PeakMemoryOfModes, KeepsTheBudgetWithManyTermsPositionsAndTexts) {
  const std::string input = write_jsonl("in.jsonl", 10'000, 2000, 300'000);
  for (const Words& more : {Words{}, Words{"--positions", "--store", "text"}}) {
    Words words = index_words(input, more);
    words.insert(words.end(), {"--mode", GetParam()});
    expect_within(run(words), kAllowed);
  }
}

TEST_P(PeakMemoryOfModes, KeepsTheBudgetWithLongDocuments) {
  const std::string input = write_jsonl("in.jsonl", 2, 40 * kMebibyte, 300'000);
  expect_within(run(index_words(input, {"--mode", GetParam(), "--positions", "--store", "text"})), kAllowed);
}

INSTANTIATE_TEST_SUITE_P(Slow, PeakMemoryOfModes, ::testing::Values("cpu", "cpu+"),
                         [](const auto& tested) { return std::string(tested.param) == "cpu" ? "Cpu" : "CpuPlus"; });

// The paths alone are 25 MB.
TEST_F(PeakMemory, OfAnIndexJobKeepsTheBudgetWithManyFiles) {
  expect_within(index_small_files(100'000, "a line of text\n"), kAllowed);
}

// Each packed file makes a chunk that is smaller than a page.
TEST_F(PeakMemory, OfAnIndexJobKeepsTheBudgetWithManyPackedFiles) {
  const std::string line = "a line of text\n";
  std::string packed(ZSTD_compressBound(line.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), line.data(), line.size(), 3));
  expect_within(index_small_files(25'000, packed), kAllowed);
}

// Pages of 20 MB, whose text is longer than a buffer. Their decoders need windows of 8 MiB (zstd) and of 16 MiB (br).
std::string crawl_with_large_windows() {
  std::string text = "<!doctype html><title>Large</title>";
  WordSource words(5'000);
  while (text.size() < kMebibyte) words.append(text);
  const std::string page = text + "<!--" + std::string(17 * kMebibyte, 'x') + "--><p>" + text;
  const std::string zstd = testing::zstd_frame(page, {.window_log = 23, .content_size = false});
  const std::string br = testing::gzip_member(testing::brotli_stored(page), 1);
  const std::string two = testing::gzip_member(testing::brotli_stored(testing::brotli_stored(page)), 1);
  std::string crawl;
  for (int i = 0; i < 10; ++i) {
    const std::string name = std::to_string(i);
    crawl += testing::archived_page("zstd" + name, zstd, "Content-Encoding: zstd\r\n");
    crawl += testing::archived_page("br" + name, br, "Content-Encoding: br, gzip\r\n");
  }
  return crawl + testing::archived_page("two", two, "Content-Encoding: br, br, gzip\r\n");
}

class SlowPeakMemory : public PeakMemory {};

// Content decoders are in the budget, and which pages can be decoded does not depend on it.
TEST_F(SlowPeakMemory, OfAnIndexJobKeepsTheBudgetWithLargeWindowsOfPages) {
  testing::write_bytes(scratch_ / "in.warc", crawl_with_large_windows());
  std::map<std::string, std::string> expected;
  for (const char* memory : {"1G", "64M"}) {
    for (const char* threads : {"1", "2", "8"}) {
      SCOPED_TRACE(std::string(memory) + " and " + threads + " threads");
      const Words words{"index", scratch_ / "in.warc", "-o",    scratch_ / "out",   "--force", "--memory",
                        memory,  "--threads",          threads, "--max-error-rate", "10%",     "-q"};
      expect_within(run(words), std::string(memory) == "1G" ? std::size_t{1} << 30 : kAllowed);
      EXPECT_EQ(IndexReader(posix_file_system(), scratch_ / "out").counts().documents, 20u);
      const auto bytes = testing::bytes_of(scratch_ / "out");
      if (expected.empty()) expected = bytes;
      EXPECT_TRUE(testing::same_index(expected, scratch_ / "out"));
    }
  }
}

TEST_F(PeakMemory, OfMergeSearchAndVerify) {
  for (const std::string part : {"a", "b", "c"}) {
    const std::string input = write_jsonl(part, 5'000, 2000, 300'000, part);
    const ProgramResult made =
        run_spillway({"index", input, "-o", scratch_ / ("part-" + part), "--positions", "--store", "text", "-q"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  testing::write_bytes(scratch_ / "drop", "a1\nb2\nc3\n");
  for (const Words& more : {Words{}, Words{"--drop", scratch_ / "drop"}, Words{"--fan-in", "2"}}) {
    Words words{"merge",
                scratch_ / "part-a",
                scratch_ / "part-b",
                scratch_ / "part-c",
                "-o",
                scratch_ / "out",
                "--force",
                "--memory",
                "64M",
                "-q"};
    words.insert(words.end(), more.begin(), more.end());
    expect_within(run(words), kAllowed);
  }
  const std::size_t index_bytes = bytes_in(scratch_ / "out");
  expect_within(run({"verify", scratch_ / "out"}), index_bytes + 24 * kMebibyte);
  expect_within(run({"search", scratch_ / "out", "w1 w2 \"w3 w4\" +w5"}), index_bytes + 24 * kMebibyte);
}

TEST_F(PeakMemory, OfAppendAndDelete) {
  const std::string old_part = write_jsonl("a", 10'000, 2000, 300'000, "a"), out = scratch_ / "out";
  const ProgramResult made = run_spillway({"index", old_part, "-o", out, "--positions", "--store", "text", "-q"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string new_part = write_jsonl("b", 5'000, 2000, 300'000, "b");
  expect_within(run({"append", out, new_part, "--memory", "64M", "-q"}), kAllowed);
  expect_within(run({"append", out, new_part, "--replace", "--memory", "64M", "-q"}), kAllowed);
  expect_within(run({"delete", out, "--id", "a1", "--id", "b2", "--memory", "64M", "-q"}), kAllowed);
}

}  // namespace
}  // namespace spillway
