// `spillway sort` on lines that are long in proportion to its memory: it keeps --memory, or refuses with one that
// suffices.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <random>
#include <sstream>

#include "sort/lines/keys/long_lines.hpp"
#include "tests/support/random_text.hpp"
#include "tests/tools/commands/sort/sort_command.hpp"

namespace spillway {
namespace {

using testing::kMeasuresMemory;
using testing::ProgramResult;
using testing::random_text;
using testing::run_program;
using testing::run_spillway;

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

class LongLines : public testing::SortCommandTest {
 protected:
  // Short lines around `count` lines of `megabytes`.
  static std::string text(std::uint32_t count, std::size_t megabytes) {
    std::string all;
    const auto add_short = [&](std::uint32_t part) {
      for (std::uint32_t i = 0; i < 20'000; ++i) all += std::to_string((part * 20'000 + i) * 2654435761U) + " short\n";
    };
    for (std::uint32_t i = 0; i < count; ++i) {
      add_short(i);
      all += random_text(i, megabytes * kMebibyte) + "\n";
    }
    add_short(count);
    return all;
  }

  ProgramResult run(std::size_t megabytes, const Words& options) const {
    Words words{"sort", "-T", scratch_.path(), "--memory", std::to_string(megabytes) + "M", "--parallel", "2"};
    words.insert(words.end(), options.begin(), options.end());
    const ProgramResult result = run_spillway(words, {.measure_memory = kMeasuresMemory});
    EXPECT_LE(result.peak_resident_bytes, megabytes * kMebibyte / 100 * 105) << shown(words);
    return result;
  }

  // The --memory that a message names; 0 if it names none.
  static std::size_t named_megabytes(const std::string& message) {
    const std::string words = "give --memory at least ";
    const std::size_t at = message.find(words);
    return at == std::string::npos ? 0 : std::stoul(message.substr(at + words.size()));
  }

  // Sorts with so much memory; if that is refused, with what the refusal names, which is then at most `most`.
  void sort_with_named(std::size_t megabytes, std::size_t most, const Words& options) const {
    const ProgramResult first = run(megabytes, options);
    if (first.exit_code == 0) return;
    ASSERT_EQ(first.exit_code, 2) << shown(options);
    const std::size_t named = named_megabytes(first.err);
    ASSERT_GT(named, megabytes) << first.err;
    EXPECT_LE(named, most) << shown(options);
    const ProgramResult second = run(named, options);
    EXPECT_EQ(second.exit_code, 0) << shown(options) << second.err;
  }

  std::string expected(const std::string& in, const std::string& options) const {
    const std::string script = "LC_ALL=C sort " + options + " \"$1\" -o \"$2\"";
    run_program({"/bin/sh", "-c", script, "sh", in, scratch_ / "expected"});
    return content(scratch_ / "expected");
  }

  static std::string shown(const Words& words) {
    std::string line;
    for (const std::string& word : words) line += word + " ";
    return line;
  }
};

// They take 8 s or more each.
class SlowLongLines : public LongLines {};

TEST_F(LongLines, GoOutOfCoreWithinTheMemory) {
  const std::string in = file("in", text(5, 8)), out = scratch_ / "out";
  for (const std::string option : {"-s", "-r", "-u", "-k1,1n"}) {
    ASSERT_EQ(run(64, {option, in, "-o", out}).exit_code, 0) << option;
    EXPECT_TRUE(content(out) == expected(in, option)) << option;
  }
}

TEST_F(SlowLongLines, WithKeysAreSortedWithTheMemoryThatTheRefusalNames) {
  const std::string in = file("in", text(4, 10)), out = scratch_ / "out";
  for (const std::string option : {"-f", "-k2,2", "-V", "-k1,1n", "-d"}) {
    sort_with_named(40, 300, {option, in, "-o", out});
    EXPECT_TRUE(content(out) == expected(in, option)) << option;
  }
}

// Their keys make them long.
TEST_F(SlowLongLines, OfLessThanTheLimitGoOutOfCoreWithinTheMemory) {
  std::string all;
  for (std::uint32_t i = 0; i < 100; ++i) all += random_text(i, 130'000) + "\n";
  const std::string in = file("in", all), out = scratch_ / "out";
  Words many{"--parallel", "8", in, "-o", out};
  for (int i = 0; i < 30; ++i) many.push_back("-k1f");
  ASSERT_EQ(run(64, many).exit_code, 0);
  EXPECT_TRUE(content(out) == expected(in, "-f"));
  ASSERT_EQ(run(32, {"--parallel", "4", "-k1V", "-k1V", "-k1V", in, "-o", out}).exit_code, 0);
  EXPECT_TRUE(content(out) == expected(in, "-V"));
}

TEST_F(LongLines, OfSomeKibibytesGoOutOfCoreWithinTheMemory) {
  std::mt19937 random(5);
  std::string all;
  for (std::uint32_t i = 0; all.size() < 64 * kMebibyte; ++i) all += random_text(i, random() % 20'000) + "\n";
  const std::string in = file("in", all), out = scratch_ / "out";
  for (const std::string option : {"-f", "-r"}) {
    ASSERT_EQ(run(64, {"--parallel", "8", option, in, "-o", out}).exit_code, 0);
    EXPECT_TRUE(content(out) == expected(in, option)) << option;
  }
}

// The refusal names the same memory wherever the longest one stands.
TEST_F(LongLines, OfDifferentSizesAreSortedWithTheMemoryThatTheRefusalNames) {
  const std::string shorter = random_text(1, 6'744'358) + "\n", longer = random_text(2, 14'656'008) + "\n";
  const std::string out = scratch_ / "out";
  for (const std::string& all : {shorter + longer, longer + shorter}) {
    const std::string in = file("in", all);
    for (const std::size_t megabytes : {32, 46, 50}) {
      for (const std::string option : {"-k1,1n", "-f", "-s"}) sort_with_named(megabytes, 100, {option, in, "-o", out});
    }
  }
}

TEST_F(LongLines, OfDifferentSizesAreCheckedWithTheMemoryThatTheRefusalNames) {
  const std::string a(40 * kMebibyte, 'A'), b(20 * kMebibyte, 'B'), c(40 * kMebibyte, 'C');
  for (const std::string& all : {a + "\n" + b + "\nC\n", "A\n" + b + "\n" + c + "\n"}) {
    const std::string in = file("in", all), other = file("other", "D\n");
    sort_with_named(64, 240, {"-c", "-f", in});
    sort_with_named(64, 240, {"-m", "-f", in, other, "-o", scratch_ / "out"});
  }
}

TEST_F(LongLines, HaveLessThanOneGibibyte) {
  EXPECT_THROW(check_line_bytes(std::size_t{1} << 30), BudgetError);
  EXPECT_NO_THROW(check_line_bytes((std::size_t{1} << 30) - 1));
}

TEST_F(SlowLongLines, AreCountedWithinTheMemory) {
  const std::string all = text(1, 40), in = file("in", all + all), out = scratch_ / "out";
  sort_with_named(64, 260, {"--count", in, "-o", out});
  const std::string counted = content(out);
  EXPECT_EQ(std::ranges::count(counted, '\n'), std::ranges::count(all, '\n'));
  EXPECT_NE(counted.find("      2 " + random_text(0, 40 * kMebibyte) + "\n"), std::string::npos);
  sort_with_named(64, 420, {"--count", "-f", in, "-o", out});
  EXPECT_EQ(std::ranges::count(content(out), '\n'), std::ranges::count(all, '\n'));
}

TEST_F(LongLines, AreCheckedWithinTheMemory) {
  const std::string line = "b" + random_text(1, 40 * kMebibyte);
  const std::string in = file("in", "a\n" + line + "\nc\n"), two = file("two", line + "\n" + line + "\n");
  for (const std::string option : {"-c", "-C"}) {
    EXPECT_EQ(run(64, {option, in}).exit_code, 0) << option;
    sort_with_named(64, 130, {option, two});
    sort_with_named(64, 250, {option, "-f", two});
  }
  const ProgramResult disorder = run(64, {"-c", file("not", line + "\na\n")});
  EXPECT_EQ(disorder.exit_code, 1);
  EXPECT_NE(disorder.err.find(":2: disorder: a\n"), std::string::npos);
  EXPECT_EQ(run(64, {"-c", "-u", file("twice", "a\na\n")}).exit_code, 1);
}

TEST_F(SlowLongLines, AreMergedWithTheMemoryThatTheFirstRefusalNames) {
  std::string all;
  Words inputs;
  for (std::uint32_t i = 0; i < 4; ++i) {
    std::string sorted = "a\n" + ("b" + random_text(i, (10 + 10 * i) * kMebibyte)) + "\nc\n";
    inputs.push_back(file("in" + std::to_string(i), sorted));
    all += sorted;
  }
  const std::string out = scratch_ / "out", in = file("all", all);
  for (const std::string option : {"-s", "-f", "--batch-size=2", "--count"}) {
    Words words{"-m", option, "-o", out};
    words.insert(words.end(), inputs.begin(), inputs.end());
    sort_with_named(64, option == "-f" ? 420 : 260, words);
    if (option == "--count") continue;
    EXPECT_TRUE(content(out) == expected(in, option == "-f" ? "-f" : "-s")) << option;
  }
}

// Each input has a long line between short ones. Together the long ones take more than the memory.
TEST_F(LongLines, WithKeysGiveTheirMemoryBackToLaterOnes) {
  std::string all;
  Words merge{"-m", "-f", "-o", scratch_ / "out"};
  for (char first = 'B'; first < 'J'; ++first) {
    const std::string begin(1, first);
    std::string sorted = begin + "\n" + begin + random_text(first, 4 * kMebibyte) + "\n";
    for (int i = 0; i < 400'000; ++i) sorted += begin + "zzzz\n";
    merge.push_back(file(begin, sorted));
    all += sorted;
  }
  ASSERT_EQ(run(48, merge).exit_code, 0);
  EXPECT_TRUE(content(scratch_ / "out") == expected(file("all", all), "-f"));
  const std::string line = "B" + random_text(1, 30 * kMebibyte);
  sort_with_named(64, 130, {"-c", "-f", file("in", "A\n" + line + "\nC\nD\nE" + line + "\n")});
}

TEST_F(LongLines, AreAmongTheFirstLinesWithinTheMemory) {
  const std::string in = file("in", text(4, 10)), out = scratch_ / "out";
  for (const std::string option : {"-r", "-f"}) {
    sort_with_named(48, 200, {"--head=3", option, in, "-o", out});
    EXPECT_TRUE(content(out) == testing::first_lines(expected(in, option), 3)) << option;
  }
}

TEST_F(LongLines, AreMarkedWithoutACopy) {
  const std::string in = file("in", "x\t" + random_text(1, 40 * kMebibyte) + "\n"), out = scratch_ / "out";
  const ProgramResult result = run_spillway({"sort", "--memory", "64M", "--debug", "-s", "-k1,1", in},
                                            {.out_path = out, .measure_memory = kMeasuresMemory});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(content(out) == "x>" + random_text(1, 40 * kMebibyte) + "\n_\n");
  EXPECT_LE(result.peak_resident_bytes, 67 * kMebibyte);
}

// Keys are measured before they are encoded.
TEST_F(SlowLongLines, HaveKeysOfLessThanTwoGibibytes) {
  const std::string in = file("in", std::string(100 * kMebibyte, 'a') + "\n");
  for (const std::string option : {"-s", "-m"}) {
    Words words{option, "--memory", "16G", in, "-o", scratch_ / "out"};
    for (int i = 0; i < 22; ++i) words.push_back("-k1f");
    const ProgramResult result = sort(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("the keys of a line take more than 2 GiB"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("--memory"), std::string::npos) << result.err;
  }
}

// Returns the place that a message names before the words about a line.
std::string place_in(const std::string& message, std::size_t line_bytes) {
  const std::string words = ": a line of " + std::to_string(line_bytes) + " bytes does not fit the memory of the sort";
  const std::size_t end = message.find(words);
  const std::string begin = "spillway: sort: ";
  return end == std::string::npos || !message.starts_with(begin) ? message
                                                                 : message.substr(begin.size(), end - begin.size());
}

TEST_F(LongLines, AreNamedWhereTheyDoNotFit) {
  const std::size_t bytes = 30 * kMebibyte;
  const std::string before = "b\n" + random_text(1, kMebibyte) + "\n", tail = "\na\n";
  const std::string small = file("small", "x\n"), large = file("large", before + random_text(2, bytes) + tail);
  const std::string place = large + ": byte " + std::to_string(before.size());
  for (const Words& more : {Words{}, Words{"-m"}, Words{"--head=2"}, Words{"-k2"}, Words{"--unpack=never", "-s"}}) {
    Words words{"--memory=32M", small, large, small};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = sort(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(place_in(result.err, bytes), place) << result.err.substr(0, 500);
  }
  const std::string checked = file("checked", " \n" + random_text(3, bytes) + "\n");
  EXPECT_EQ(place_in(sort({"--memory=32M", "-c", checked}).err, bytes), checked + ": byte 2");
  const std::string of_stream = "standard input: byte " + std::to_string(before.size());
  EXPECT_EQ(place_in(sort({"--memory=32M", small, "-"}, content(large)).err, bytes), of_stream);
  EXPECT_EQ(place_in(sort({"--memory=32M", "-z"}, content(large)).err, content(large).size()),
            "standard input: byte 0");
}

}  // namespace
}  // namespace spillway
