// `spillway sort` against GNU sort, where that is installed: random options over random input, in memory and out of
// core, must give the same output, exit code and messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tests/tools/commands/sort/sort_command.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_program;
using testing::ScratchDirectory;
using Words = std::vector<std::string>;

constexpr const char* kGnuSort = "/usr/bin/sort";

class Cases {
 public:
  Cases(unsigned seed, std::string directory) : random_(seed), directory_(std::move(directory)) {}

  // Options, and then files that it writes.
  Words next() {
    Words words = options();
    const char end = is_zero_ended_ ? '\0' : '\n';
    const std::size_t pool_size = pick<std::size_t>({2, 5, 20, 60}),
                      lines = pick<std::size_t>({0, 1, 2, 5, 20, 60, 300, 3000});
    const std::string separator = pick<std::string>({" ", "\t", ",", "  "});
    Words pool;
    for (std::size_t i = 0; i < pool_size; ++i) pool.push_back(field());
    for (std::size_t number = below(3) + 1; number != 0; --number) {
      const std::string path = directory_ + "/in" + std::to_string(number);
      std::ofstream file(path, std::ios::binary);
      for (std::size_t line = 0; line < lines; ++line) {
        for (std::size_t i = below(4); i != 0; --i) file << pool[below(pool.size())] << separator;
        if (line + 1 != lines || below(3) != 0) file << end;
      }
      words.push_back(path);
    }
    return words;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <typename T>
  T pick(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

  // No NaN: GNU sort 9.1 orders several of them by bytes that it leaves unset; `sort -c` refuses what it puts out.
  std::string field() {
    switch (below(8)) {
      case 0:
        return pick<std::string>({"a", "B", "~", "-", "_", "\xFF", "\xE9x", ".", "Z", std::string("\0z", 2), "\1"});
      case 1:
        return std::to_string(static_cast<int>(below(100)) - 50);
      case 2:
        return pick<std::string>({"0", "00", "-0", "1", "+1", "--1", "999999999999999999999", "0.5", ".5", "5.", "1.50",
                                  "1e3", "0x1F", "inf", "1.5.2", "\x80", "1\x80\x32", "-\x80\x33K"});
      case 3:
        return std::to_string(below(3000)) + pick<std::string>({"", "K", "M", "G", "k", ".5K", "Y", "X"});
      case 4:
        return pick<std::string>({"jan", "Feb", "MAR", "dec", "xyz", "september", "ma"});
      case 5:
        return pick<std::string>({"a1",  "a10", "a2",    "a01",      "a1.2.tar.gz", "a1.10.tar.gz", ".a",
                                  "..a", ".0a", ".a.",   "..",       ".",           "a~",           "a0",
                                  "a0b", "a0~", "b1~rc", "foo-1.10", "a.b~",        "a.b1"});
      case 6:
        return std::string(below(4), one_in(2) ? ' ' : '\t');
      default:
        return pick<std::string>({"the", "The", "THE", "quick", "Quick"});
    }
  }

  std::string key_letters() {
    std::string letters;
    for (std::size_t i = pick<std::size_t>({0, 0, 0, 1, 1, 2}); i != 0; --i) letters += "bdfgiMhnrV"[below(10)];
    return letters;
  }

  std::string key() {
    std::string text = std::to_string(below(3) + 1);
    if (one_in(3)) text += "." + std::to_string(below(3) + 1);
    text += key_letters();
    if (one_in(3)) return text;
    text += "," + std::to_string(below(3) + 1);
    if (one_in(3)) text += "." + std::to_string(below(4));
    return text + key_letters();
  }

  Words options() {
    Words words;
    is_zero_ended_ = one_in(6);
    if (is_zero_ended_) words.emplace_back("-z");
    for (const char letter : std::string("bdfgiMhnrVsu")) {
      if (one_in(10)) words.push_back(std::string("-") + letter);
    }
    for (std::size_t i = pick<std::size_t>({0, 0, 1, 1, 2, 3}); i != 0; --i) words.push_back("-k" + key());
    if (one_in(2)) words.push_back("-t" + pick<std::string>({" ", "\t", ",", "\\0", "a"}));
    if (one_in(12)) words.push_back(pick<std::string>({"-c", "-C"}));
    if (one_in(12)) words.emplace_back("--debug");
    if (one_in(12)) words.insert(words.end(), {"-R", std::string("--random-source=") + kGnuSort});
    return words;
  }

  std::mt19937 random_;
  std::string directory_;
  bool is_zero_ended_ = false;
};

void compare(unsigned first_seed, unsigned count, const Words& more) {
  if (!std::filesystem::exists(kGnuSort)) GTEST_SKIP() << "GNU sort is not installed";
  const ScratchDirectory scratch;
  std::filesystem::create_symlink(testing::program_path(), scratch / "sort");
  std::filesystem::create_symlink(kGnuSort, scratch.path() + "/gnu-sort");
  unsigned sorted = 0;
  for (unsigned seed = first_seed; seed < first_seed + count; ++seed) {
    Words words = Cases(seed, scratch.path()).next();
    Words gnu = words, own = words;
    gnu.insert(gnu.begin(), kGnuSort);
    own.insert(own.begin(), scratch / "sort");
    own.insert(own.begin() + 1, more.begin(), more.end());
    const ProgramResult expected = run_program(gnu, {.environment = {"LC_ALL=C"}});
    const ProgramResult found = run_program(own, {.environment = {"LC_ALL=C"}});
    std::string shown;
    for (const std::string& word : own) shown += "'" + word + "' ";
    ASSERT_EQ(found.exit_code, expected.exit_code) << "seed " << seed << ": " << shown << found.err;
    ASSERT_EQ(found.out, expected.out) << "seed " << seed << ": " << shown;
    // GNU sort names itself by the path it was called by.
    const auto messages = [](std::string text, const std::string& name) {
      for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name))
        text.replace(at, name.size(), "sort");
      return text;
    };
    ASSERT_EQ(messages(found.err, scratch / "sort"), messages(expected.err, kGnuSort))
        << "seed " << seed << ": " << shown;
    sorted += expected.exit_code == 0 ? 1 : 0;
  }
  EXPECT_GT(sorted, count / 3);
}

TEST(GnuSort, GivesTheSameInMemory) { compare(1, 300, {}); }
// Sorts the files of each case by its options, and then compares merges of them.
void compare_merges(unsigned first, unsigned count, const Words& forced) {
  if (!std::filesystem::exists(kGnuSort)) GTEST_SKIP() << "there is no " << kGnuSort;
  const ScratchDirectory scratch;
  for (unsigned seed = first; seed < first + count; ++seed) {
    const Words words = Cases(seed, scratch.path()).next();
    Words options, files;
    for (const std::string& word : words) {
      const bool is_other = word == "-c" || word == "-C" || word == "--debug";
      if (!is_other) (word.starts_with(scratch.path()) ? files : options).push_back(word);
    }
    const auto run = [&](Words command, const Words& more) {
      for (const Words& part : {options, more}) command.insert(command.end(), part.begin(), part.end());
      return run_program(command, {.environment = {"LC_ALL=C"}});
    };
    bool is_valid = true;
    for (const std::string& file : files) is_valid &= run({kGnuSort}, {file, "-o", file}).exit_code == 0;
    if (!is_valid) continue;
    // Some files twice, so that there are ties.
    files.insert(files.end(), files.begin(), files.end());
    files.insert(files.begin(), "-m");
    const ProgramResult expected = run({kGnuSort}, files);
    Words own{testing::program_path(), "sort"};
    own.insert(own.end(), forced.begin(), forced.end());
    const ProgramResult found = run(own, files);
    std::string shown;
    for (const std::string& word : options) shown += "'" + word + "' ";
    ASSERT_EQ(found.exit_code, expected.exit_code) << "seed " << seed << ": " << shown << found.err;
    ASSERT_EQ(found.out, expected.out) << "seed " << seed << ": " << shown;
  }
}

// What `head -n` leaves of the output.
void compare_heads(unsigned first, unsigned count, const Words& forced) {
  if (!std::filesystem::exists(kGnuSort)) GTEST_SKIP() << "there is no " << kGnuSort;
  const ScratchDirectory scratch;
  for (unsigned seed = first; seed < first + count; ++seed) {
    Words words = Cases(seed, scratch.path()).next();
    std::erase_if(words, [](const std::string& word) { return word == "-c" || word == "-C" || word == "--debug"; });
    Words gnu = words, own = words;
    gnu.insert(gnu.begin(), kGnuSort);
    const ProgramResult expected = run_program(gnu, {.environment = {"LC_ALL=C"}});
    const char end = std::ranges::find(words, "-z") == words.end() ? '\n' : '\0';
    const std::size_t lines = seed % 7 * (seed % 7) * (seed % 5 + 1);  // 0 to 180
    own.insert(own.begin(), {testing::program_path(), "sort", "--head=" + std::to_string(lines)});
    own.insert(own.end(), forced.begin(), forced.end());
    const ProgramResult found = run_program(own, {.environment = {"LC_ALL=C"}});
    ASSERT_EQ(found.exit_code, expected.exit_code) << "seed " << seed << ": " << ::testing::PrintToString(own);
    ASSERT_EQ(found.out, testing::first_lines(expected.out, lines, end))
        << "seed " << seed << ": " << ::testing::PrintToString(own);
  }
}

TEST(GnuSort, HasTheSameHead) {
  compare_heads(4001, 150, {});
  compare_heads(5001, 150, {"--block-bytes=16K", "--batch-size=2"});
}
TEST(GnuSort, MergesTheSame) { compare_merges(2001, 200, {}); }
TEST(GnuSort, MergesTheSameInPasses) { compare_merges(3001, 200, {"--block-bytes=16K", "--batch-size=2"}); }
TEST(GnuSort, GivesTheSameOutOfCore) { compare(1001, 300, {"--block-bytes=16K", "--batch-size=3"}); }
TEST(SlowGnuSort, GivesTheSameInThousandsOfCases) {
  compare(10'000, 3000, {});
  compare(20'000, 2000, {"--block-bytes=16K", "--batch-size=4"});
  compare_merges(30'000, 1000, {"--block-bytes=16K", "--batch-size=3"});
  compare_heads(40'000, 1000, {"--block-bytes=16K", "--batch-size=3"});
}

}  // namespace
}  // namespace spillway
