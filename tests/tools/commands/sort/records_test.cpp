// `spillway sort --record-size`: records of one size, in memory, out of core and merged.
#include <algorithm>
#include <filesystem>
#include <random>
#include <set>

#include "tests/tools/commands/sort/sort_command.hpp"

namespace spillway {
namespace {

using testing::kMeasuresMemory;
using testing::ProgramResult;
using testing::run_spillway;
using Records = std::vector<std::string>;

class SortRecords : public testing::SortCommandTest {
 protected:
  // Bytes of any value, line ends and zeros among them; few distinct keys at `offset`.
  static Records random_records(unsigned seed, std::size_t count, std::size_t bytes, std::size_t offset) {
    std::mt19937 random(seed);
    Records records;
    for (std::size_t i = 0; i < count; ++i) {
      std::string record(bytes, '\0');
      for (char& byte : record) byte = static_cast<char>(random() % 5 == 0 ? '\n' : random());
      record[offset] = static_cast<char>(random() % 3 * 100);
      record[offset + 1] = static_cast<char>(random() % 40);
      records.push_back(record);
    }
    return records;
  }
  static std::string joined(const Records& records) {
    std::string text;
    for (const std::string& record : records) text += record;
    return text;
  }
  Words blocks(const std::string& bytes) const {
    return bytes.empty() ? Words{} : Words{"--block-bytes=" + bytes, "--batch-size=3"};
  }
  void expect(const Records& sorted, Words words, const std::string& in) {
    for (const std::string bytes : {"", "16K", "100K"}) {
      Words all = words;
      for (const std::string& word : blocks(bytes)) all.push_back(word);
      all.push_back(in);
      const ProgramResult piped = sort(all);
      ASSERT_EQ(piped.exit_code, 0) << piped.err;
      EXPECT_TRUE(piped.out == joined(sorted)) << ::testing::PrintToString(all);
      all.insert(all.end(), {"-o", scratch_ / "out"});
      ASSERT_EQ(sort(all).exit_code, 0);
      EXPECT_TRUE(content(scratch_ / "out") == joined(sorted)) << ::testing::PrintToString(all);
      for (const std::size_t head : {1, 700}) {
        all = words;
        all.insert(all.end(), {"--head=" + std::to_string(head), in});
        const Records first(sorted.begin(),
                            sorted.begin() + static_cast<std::ptrdiff_t>(std::min(head, sorted.size())));
        EXPECT_TRUE(sort(all).out == joined(first)) << ::testing::PrintToString(all);
      }
    }
  }
};

TEST_F(SortRecords, OrderBytesOfAnyValue) {
  Records records = random_records(1, 5000, 37, 0);
  const std::string in = file("in", joined(records));
  std::ranges::sort(records);
  expect(records, {"--record-size=37"}, in);
  expect(records, {"--record-size=37", "--key-size=10"}, in);
  std::ranges::reverse(records);
  expect(records, {"--record-size=37", "--key-size=2", "-r"}, in);
}

TEST_F(SortRecords, CompareByAKeyInside) {
  const Records records = random_records(2, 5000, 20, 7);
  const std::string in = file("in", joined(records));
  const auto key = [](const std::string& record) { return record.substr(7, 2); };
  Records sorted = records;
  std::ranges::sort(sorted, {}, [&](const std::string& record) { return key(record) + record; });
  expect(sorted, {"--record-size=20", "--key-size=2", "--key-offset=7"}, in);
  std::ranges::reverse(sorted);
  expect(sorted, {"--record-size=20", "--key-size=2", "--key-offset=7", "-r"}, in);
  sorted = records;
  std::ranges::stable_sort(sorted, {}, key);
  expect(sorted, {"--record-size=20", "--key-size=2", "--key-offset=7", "-s"}, in);
  const auto [after, end] = std::ranges::unique(sorted, {}, key);
  sorted.erase(after, end);
  expect(sorted, {"--record-size=20", "--key-size=2", "--key-offset=7", "-u"}, in);
  sorted = records;
  std::ranges::stable_sort(sorted, std::greater<>(), key);
  expect(sorted, {"--record-size=20", "--key-size=2", "--key-offset=7", "-s", "-r"}, in);
}

TEST_F(SortRecords, MergeAndCheck) {
  Records records = random_records(3, 6000, 16, 0), all;
  Words inputs;
  for (std::size_t i = 0; i < 3; ++i) {
    Records part(records.begin() + static_cast<std::ptrdiff_t>(2000 * i),
                 records.begin() + static_cast<std::ptrdiff_t>(2000 * (i + 1)));
    std::ranges::sort(part);
    inputs.push_back(file("in" + std::to_string(i), joined(part)));
  }
  std::ranges::sort(records);
  for (const std::string more : {"--block-bytes=16K", "--batch-size=2"}) {
    Words words{"--record-size=16", "-m", more};
    words.insert(words.end(), inputs.begin(), inputs.end());
    EXPECT_TRUE(sort(words).out == joined(records)) << more;
  }
  const std::string in = file("in", joined(records));
  EXPECT_EQ(sort({"--record-size=16", "-c", in}).exit_code, 0);
  const ProgramResult found = sort({"--record-size=4", "-c", file("bad", std::string("b\0\0\0a\0\n\0", 8))});
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_NE(found.err.find("bad:2: disorder: a\\x00\\x0A\\x00\n"), std::string::npos) << found.err;
}

TEST_F(SortRecords, RefusePartsOfRecords) {
  const std::string whole = file("whole", std::string(50, 'a')), part = file("part", std::string(57, 'b'));
  for (const Words& options : {Words{"-s"}, {"-m"}, {"-c"}, {"--head=1"}, {"--block-bytes=16K"}}) {
    Words words{"--record-size=10", "-T", scratch_.path(), part};
    if (options.front() != "-c") words.insert(words.end(), {whole, "-o", scratch_ / "out"});
    words.insert(words.end(), options.begin(), options.end());
    const ProgramResult result = sort(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find(part + ": byte 50: expected a record of 10 bytes, found the last 7 bytes of the input; "
                                     "give the size of its records with --record-size"),
              std::string::npos)
        << result.err;
    EXPECT_FALSE(std::filesystem::exists(scratch_ / "out"));
  }
  EXPECT_EQ(sort({"--record-size=10"}, std::string(19, 'x')).exit_code, 2);
  EXPECT_EQ(sort({"--record-size=10"}, "").out, "");
}

TEST_F(SortRecords, RefuseOptionsOfLines) {
  const auto message = [&](Words words) {
    const ProgramResult result = sort(std::move(words), "");
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  for (const std::string option : {"-k1", "-n", "-f", "-t,", "-z", "--count", "--debug"}) {
    EXPECT_NE(message({"--record-size=8", option}).find("are incompatible: "), std::string::npos) << option;
  }
  EXPECT_NE(message({"--record-size=0"}).find("records have 1 to"), std::string::npos);
  EXPECT_NE(message({"--record-size=99999999"}).find("records have 1 to"), std::string::npos);
  EXPECT_NE(message({"--record-size=8", "--key-size=9"}).find("is not inside records of 8 bytes"), std::string::npos);
  EXPECT_NE(message({"--record-size=8", "--key-size=0"}).find("is not inside"), std::string::npos);
  EXPECT_NE(message({"--record-size=8", "--key-offset=8"}).find("is not inside"), std::string::npos);
  EXPECT_NE(message({"--key-size=8"}).find("give their size with --record-size"), std::string::npos);
}

// A record may look packed.
TEST_F(SortRecords, TakeBytesAsTheyAre) {
  const std::string first("\x1F\x8B\x08\0\0\0\0\0", 8), second("\x1F\x8B\x07\0\0\0\0\0", 8);
  EXPECT_EQ(sort({"--record-size=8", file("in", first + second)}).out, second + first);
}

TEST_F(SortRecords, KeepTheirMemory) {
  if (!kMeasuresMemory) GTEST_SKIP() << "a sanitizer takes memory of its own";
  const Records some = random_records(4, 2000, 100, 0);
  std::string text;
  for (unsigned i = 0; i < 400; ++i) {
    std::string records = joined(some);
    for (std::size_t at = 0; at < records.size(); at += 100) records[at + 2] = static_cast<char>(i * 7 + at);
    text += records;
  }
  const std::string in = file("in", text);
  const ProgramResult result = run_spillway(
      {"sort", "--memory=32M", "--record-size=100", "--key-size=10", "-T", scratch_.path(), in, "-o", scratch_ / "out"},
      {.measure_memory = true});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(sort({"-c", "--record-size=100", scratch_ / "out"}).exit_code, 0);
  EXPECT_EQ(std::filesystem::file_size(scratch_ / "out"), text.size());
  EXPECT_LE(result.peak_resident_bytes, (std::size_t{32} << 20) / 100 * 105);
}

}  // namespace
}  // namespace spillway
