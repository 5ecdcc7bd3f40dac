// `spillway sort --head`: what `head -n` would leave of the output, with every option, in memory and out of core.
#include <random>

#include "tests/tools/commands/sort/sort_command.hpp"

namespace spillway {
namespace {

using testing::first_lines;
using testing::kMeasuresMemory;
using testing::ProgramResult;
using testing::run_spillway;

class SortHead : public testing::SortCommandTest {
 protected:
  // Lines of few distinct keys and many distinct texts.
  static std::string random_text(unsigned seed, std::size_t lines, char line_end = '\n') {
    std::mt19937 random(seed);
    std::string text;
    for (std::size_t i = 0; i < lines; ++i) {
      text += std::to_string(random() % 50) + " " + std::string(random() % 30, static_cast<char>('a' + random() % 3)) +
              (random() % 9 == 0 ? "" : std::to_string(random() % 40)) + line_end;
    }
    return text;
  }
  // Compares with all that is sorted, for heads of several sizes and blocks.
  void expect_heads(Words words, const std::string& in, char line_end = '\n') {
    words.push_back(in);
    const std::string all = sort(words).out;
    ASSERT_NE(all, "");
    for (const std::string block : {"", "--block-bytes=16K", "--block-bytes=200K"}) {
      for (const std::size_t lines : {1, 2, 10, 300, 3000, 100'000}) {
        Words some = words;
        some.push_back("--head=" + std::to_string(lines));
        if (!block.empty()) some.insert(some.end(), {block, "--batch-size=3"});
        const ProgramResult found = sort(some);
        ASSERT_EQ(found.exit_code, 0) << found.err;
        ASSERT_TRUE(found.out == first_lines(all, lines, line_end))
            << ::testing::PrintToString(words) << block << " " << lines;
      }
    }
  }
};

class SlowSortHead : public SortHead {};

TEST_F(SlowSortHead, PutsOutTheFirstLinesWithEveryOrder) {
  const std::string in = file("in", random_text(1, 20'000));
  for (const Words& options : {Words{},
                               {"-r"},
                               {"-u"},
                               {"-n"},
                               {"-s", "-k2,2"},
                               {"-k2,2"},
                               {"-r", "-k1,1n", "-k2,2"},
                               {"-u", "-k1,1"},
                               {"-s", "-n"},
                               {"-s", "-r", "-n"},
                               {"-u", "-r", "-n"},
                               {"-f", "-k2"},
                               {"--sorter=cpu-multikey"}}) {
    expect_heads(options, in);
  }
}

TEST_F(SortHead, EndsLinesWithZeroBytes) { expect_heads({"-z"}, file("in", random_text(2, 5000, '\0')), '\0'); }

TEST_F(SortHead, CountsTheGroupsThatItPutsOut) {
  const std::string in = file("in", random_text(3, 20'000));
  for (const Words& options : {Words{"--count"}, {"--count", "-r"}, {"--count", "-n"}, {"--count", "-k2,2", "-r"}}) {
    expect_heads(options, in);
  }
}

TEST_F(SortHead, MergesNoMoreThanItNeeds) {
  const std::string a = file("a", sort({}, random_text(4, 8000)).out),
                    b = file("b", sort({}, random_text(5, 8000)).out);
  expect_heads({"-m", a, a}, b);
  expect_heads({"-m", "-u", a, b}, b);
  expect_heads({"-m", "--count", a, b}, b);
}

TEST_F(SortHead, TakesInputThatIsSortedOrReversed) {
  std::string text, reversed;
  for (unsigned i = 100'000; i < 160'000; ++i) text += std::to_string(i) + "\n";
  for (unsigned i = 160'000; i-- > 100'000;) reversed += std::to_string(i) + "\n";
  expect_heads({}, file("sorted", text));
  expect_heads({}, file("reversed", reversed));
  expect_heads({"-r"}, file("sorted", text));
}

// The last block ends with the input, and lines that do not fit it are left.
TEST_F(SortHead, LosesNoLineWhereTheInputEnds) {
  std::string text;
  for (unsigned i = 0; i < 30'000; ++i) {
    text += std::to_string(i % 7919) + std::string(i % 61, 'x') + "\n";
    if (i % 397 != 0) continue;
    const std::string expected = sort({"-u"}, text).out;
    ASSERT_TRUE(sort({"-u", "--head=10", "--block-bytes=64K"}, text).out == first_lines(expected, 10)) << i;
  }
}

TEST_F(SortHead, TakesNoLinesAndAnyNumber) {
  const std::string in = file("in", "b\na\n");
  EXPECT_EQ(sort({"--head", "0", in, "-o", scratch_ / "out"}).exit_code, 0);
  EXPECT_EQ(content(scratch_ / "out"), "");
  EXPECT_EQ(sort({"--head", "99999999999999999999", in}).out, "a\nb\n");
  EXPECT_EQ(sort({"--head", "1", in, "-o", in}).exit_code, 0);
  EXPECT_EQ(content(in), "a\n");
  EXPECT_EQ(sort({"--head=5"}, "").out, "");
}

TEST_F(SortHead, RefusesWhatItCannotDo) {
  const auto message = [&](Words words) {
    const ProgramResult result = sort(std::move(words), "a\n");
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_EQ(message({"--head=x"}), "spillway: sort: invalid --head argument 'x'\n");
  EXPECT_EQ(message({"--head=-1"}), "spillway: sort: invalid --head argument '-1'\n");
  EXPECT_EQ(message({"--head=1k"}), "spillway: sort: invalid suffix in --head argument '1k'\n");
  EXPECT_EQ(message({"--head=1", "-c"}), "spillway: sort: options '--head -c' are incompatible\n");
  EXPECT_EQ(message({"--head=1", "--debug"}), "spillway: sort: options '--head --debug' are incompatible\n");
  EXPECT_NE(message({"--head=1", "/no/such/file"}).find("/no/such/file"), std::string::npos);
}

TEST_F(SortHead, TakesLinesThatAreLongerThanABlock) {
  const std::string line(9'000'000, 'x'), in = file("in", "z\n" + line + "\na\n" + line + "y\n");
  EXPECT_TRUE(sort({"--memory=64M", "--head=2", in}).out == "a\n" + line + "\n");
  EXPECT_TRUE(sort({"--head=3", in}).out == "a\n" + line + "\n" + line + "y\n");
}

TEST_F(SortHead, KeepsItsMemory) {
  if (!kMeasuresMemory) GTEST_SKIP() << "a sanitizer takes memory of its own";
  std::string text;
  for (unsigned i = 0; i < 1'500'000; ++i) text += std::to_string(i * 2654435761U) + " and more text in the line\n";
  const std::string in = file("in", text);
  for (const std::string lines : {"10", "100000", "1000000"}) {
    const ProgramResult result = run_spillway(
        {"sort", "--memory", "32M", "-n", "--head", lines, "-T", scratch_.path(), in, "-o", scratch_ / "out"},
        {.measure_memory = true});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_LE(result.peak_resident_bytes, (std::size_t{32} << 20) / 100 * 105) << lines;
  }
}

}  // namespace
}  // namespace spillway
