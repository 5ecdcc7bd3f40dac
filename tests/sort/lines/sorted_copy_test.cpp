#include "sort/lines/sorted_copy.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ScratchDirectory;
using Lines = std::vector<std::string>;

class PlacedText final : public LineOutput {
 public:
  explicit PlacedText(std::size_t bytes) : text(bytes, '?') {}
  bool has_places() const override { return true; }
  void write(std::span<const std::uint8_t>) override { FAIL(); }
  void write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) override {
    ASSERT_LE(offset + bytes.size(), text.size());
    std::ranges::copy(bytes, text.begin() + static_cast<std::ptrdiff_t>(offset));
    written += bytes.size();
  }
  std::string text;
  std::atomic<std::size_t> written{0};
};

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// 2 MB in order, with equal lines, empty ones, prefixes of others, and bytes less than the line end.
Lines sorted_lines(unsigned seed = 1) {
  std::mt19937 random(seed);
  Lines lines(100);
  for (std::size_t i = 0; i < 60000; ++i) {
    std::string line = random() % 2 == 0 ? "a prefix of many lines, longer than a word, " : "";
    for (std::size_t bytes = random() % 20; bytes != 0; --bytes) line += static_cast<char>("\t\v a\xff"[random() % 5]);
    lines.push_back(line);
  }
  std::ranges::sort(lines);
  return lines;
}

class SortedCopy : public ::testing::Test {
 protected:
  std::optional<std::uint64_t> copy(const std::string& text, const LineOrder& order = {},
                                    const std::function<void()>& check = {}) {
    std::ofstream(scratch_ / "in", std::ios::binary) << text;
    const auto file = posix_file_system().open(scratch_ / "in");
    output_.emplace(text.size() + 1);
    std::optional<std::uint64_t> lines;
    tbb::task_arena(3).execute([&] { lines = copy_if_sorted(*file, order, check, *output_); });
    return lines;
  }
  std::string copied() const { return output_->text.substr(0, output_->written); }

  ScratchDirectory scratch_;
  std::optional<PlacedText> output_;
};

TEST_F(SortedCopy, CopiesLinesInOrder) {
  const Lines lines = sorted_lines();
  EXPECT_EQ(copy(joined(lines)), lines.size());
  EXPECT_EQ(copied(), joined(lines));
}

TEST_F(SortedCopy, AddsALineEndThatTheFileLacks) {
  const std::string text = joined(sorted_lines());
  EXPECT_TRUE(copy(text.substr(0, text.size() - 1)));
  EXPECT_EQ(copied(), text);
}

TEST_F(SortedCopy, CopiesDownwardsIfThatIsTheOrder) {
  Lines lines = sorted_lines();
  std::ranges::reverse(lines);
  LineOrder order;
  EXPECT_FALSE(copy(joined(lines), order));
  order.is_reversed = true;
  EXPECT_TRUE(copy(joined(lines), order));
  EXPECT_EQ(copied(), joined(lines));
}

TEST_F(SortedCopy, RefusesEqualLinesIfTheOrderIsUnique) {
  Lines lines = sorted_lines();
  LineOrder order;
  order.is_unique = true;
  EXPECT_FALSE(copy(joined(lines), order));
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  while (joined(lines).size() < (std::size_t{1} << 20)) lines.push_back(lines.back() + "\xff");
  EXPECT_TRUE(copy(joined(lines), order));
  lines.push_back(lines.back());
  EXPECT_FALSE(copy(joined(lines), order));
  EXPECT_EQ(output_->written, 0u);  // the sorted lines are shorter than what threads might have written
}

// Lines around the places where the text is cut for the threads, and the first and last ones.
TEST_F(SortedCopy, FindsTwoLinesOutOfOrderWhereverTheyStand) {
  const Lines lines = sorted_lines();
  std::vector<std::size_t> places{100, lines.size() - 1};
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t before = bytes, chunk = std::size_t{512} << 10;
    bytes += lines[i].size() + 1;
    if (before / chunk == bytes / chunk) continue;
    for (std::size_t near = i - 3; near <= i + 3 && near < lines.size(); ++near) places.push_back(near);
  }
  EXPECT_GT(places.size(), 20u);
  for (const std::size_t place : places) {
    Lines changed = lines;
    changed[place] = changed[place - 1].empty() ? "\xff\xff" : "";
    EXPECT_FALSE(copy(joined(changed))) << place;
  }
}

TEST_F(SortedCopy, WritesNothingIfAFewLinesShowThatTheOrderIsAnother) {
  Lines lines = sorted_lines();
  std::shuffle(lines.begin() + static_cast<std::ptrdiff_t>(lines.size() / 10 * 9), lines.end(), std::mt19937(2));
  EXPECT_FALSE(copy(joined(lines)));
  EXPECT_EQ(output_->written, 0u);
}

TEST_F(SortedCopy, LeavesLongLinesToOthers) {
  const Lines lines = sorted_lines();
  const std::string text = joined(lines);
  ASSERT_TRUE(copy(text + std::string(100, '\xff') + "\n"));
  EXPECT_FALSE(copy(text + std::string(std::size_t{2} << 20, '\xff')));
  EXPECT_FALSE(copy(text + std::string(std::size_t{2} << 20, '\xff') + "\n"));
  EXPECT_FALSE(copy(std::string(std::size_t{2} << 20, '\1') + "\n" + joined({"\2", "\3"})));
}

TEST_F(SortedCopy, LeavesAFileThatGrewToOthers) {
  const Lines lines = sorted_lines();
  std::once_flag once;
  const auto grow = [&] { std::ofstream(scratch_ / "in", std::ios::binary | std::ios::app) << "\xff\n"; };
  EXPECT_FALSE(copy(joined(lines), {}, [&] { std::call_once(once, grow); }));
}

TEST_F(SortedCopy, ThrowsIfTheFileIsWrittenToMeanwhile) {
  const Lines lines = sorted_lines();
  std::once_flag once;
  const auto change = [&] { std::fstream(scratch_ / "in", std::ios::in | std::ios::out | std::ios::binary) << "\n"; };
  EXPECT_THROW(copy(joined(lines), {}, [&] { std::call_once(once, change); }), IoError);
  std::once_flag again;
  const auto cut = [&] { std::filesystem::resize_file(scratch_ / "in", 1000); };
  EXPECT_ANY_THROW(copy(joined(lines), {}, [&] { std::call_once(again, cut); }));
}

}  // namespace
}  // namespace spillway
