// Lines are sampled from all places of all files, and choose the sorter that is faster for them.
#include "sort/lines/gpu/sample.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <random>

#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

class LineSampleTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, std::size_t lines, const std::function<std::string(std::size_t)>& line_of,
                    char end = '\n') const {
    const std::string path = scratch_ / name;
    std::ofstream file(path, std::ios::binary);
    for (std::size_t i = 0; i != lines; ++i) file << line_of(i) << end;
    return path;
  }
  LineSample sample(const std::vector<std::string>& paths, char end = '\n') { return sample_lines(files_, paths, end); }

  testing::ScratchDirectory scratch_;
  FileSystem& files_ = posix_file_system();
};

TEST_F(LineSampleTest, TakesLinesFromAllPlacesOfAllFiles) {
  const auto from = [](std::size_t first) { return [first](std::size_t i) { return std::to_string(first + i); }; };
  const std::string one = write("one", 20000, from(1000000)), other = write("other", 60000, from(5000000));
  const LineSample both = sample({one, other});
  EXPECT_EQ(both.lines, 512u);
  EXPECT_EQ(both.mean_bytes, 7.0);
  EXPECT_GT(both.distinct_share, 0.9);
  EXPECT_GT(both.distinguishing_bytes, 4.0);
  EXPECT_LE(both.distinguishing_bytes, 7.0);
}

TEST_F(LineSampleTest, TakesFewLinesAndNone) {
  EXPECT_EQ(sample({}).lines, 0u);
  EXPECT_EQ(sample({write("empty", 0, nullptr)}).lines, 0u);
  EXPECT_EQ(sample({scratch_ / "not there"}).lines, 0u);
  const std::string three = write("three", 3, [](std::size_t) { return "a line"; });
  EXPECT_EQ(sample({three}).lines, 3u);
  EXPECT_EQ(sample({three}).mean_bytes, 6.0);
  const std::string long_line = write("long", 1, [](std::size_t) { return std::string(100000, 'x'); });
  EXPECT_EQ(sample({long_line}).lines, 1u);
  EXPECT_EQ(sample({long_line}).mean_bytes, 4096.0);
  const std::string records = write(
      "zero", 1000, [](std::size_t) { return "a\nb"; }, '\0');
  EXPECT_EQ(sample({records}, '\0').lines, 4u);
  EXPECT_EQ(sample({records}, '\0').mean_bytes, 3.0);
}

TEST_F(LineSampleTest, ChoosesTheSorterThatIsFasterForTheLines) {
  std::mt19937 random(1);
  const auto letters = [&](std::size_t count) {
    std::string text;
    while (text.size() < count) text += static_cast<char>('a' + random() % 26);
    return text;
  };
  const auto chosen = [&](const std::function<std::string(std::size_t)>& line_of) {
    return choose_line_gpu_sorter(sample({write("lines", 20000, line_of)})).name;
  };
  EXPECT_EQ(chosen([](std::size_t) { return std::string(100, 'A'); }), "gpu-string-merge");
  const std::vector<std::string> begins{"It was said that", "This is a", "There is"};
  EXPECT_EQ(chosen([&](std::size_t i) { return begins[i % 3] + letters(60); }), "gpu-string-merge");
  EXPECT_EQ(chosen([&](std::size_t) { return letters(100); }), "gpu-string-radix");
  EXPECT_EQ(chosen([&](std::size_t) { return letters(7); }), "gpu-string-radix");
  EXPECT_EQ(chosen([&](std::size_t) { return std::string(5, 'A'); }), "gpu-string-radix");
  EXPECT_EQ(chosen([&](std::size_t) { return "/usr/share/doc/packages/of/" + letters(40); }), "gpu-string-radix");
  EXPECT_EQ(chosen([&](std::size_t) { return std::string(1 + random() % 100, 'A'); }), "gpu-string-radix");
  EXPECT_EQ(choose_line_gpu_sorter({}).name, "gpu-string-radix");
  EXPECT_EQ(choose_line_gpu_sorter({3, 100, 100, 0.01}).name, "gpu-string-radix");
}

}  // namespace
}  // namespace spillway
