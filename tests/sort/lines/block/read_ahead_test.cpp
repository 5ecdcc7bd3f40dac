#include "sort/lines/block/read_ahead.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>
#include <string>

#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

class ReadAheadTest : public ::testing::Test {
 protected:
  ReadAheadTest() {
    for (int i = 0; text_.size() < (std::size_t{9} << 20) + 777; ++i) text_ += "line " + std::to_string(i) + "\n";
    std::ofstream(path_, std::ios::binary) << text_;
  }
  LineInput input(std::function<void()> check = {}) const {
    LineInput input(posix_file_system(), {path_, path_}, '\n', std::move(check));
    input.read_directly(3);
    return input;
  }
  // Reads all, `bytes` at once.
  static std::string read_all(ReadAhead& ahead, std::size_t bytes) {
    std::string text;
    std::vector<std::uint8_t> out(bytes);
    while (const std::size_t got = ahead.read(out)) {
      text.append(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(got));
    }
    return text;
  }

  testing::ScratchDirectory scratch_;
  std::string path_ = scratch_ / "in", text_;
  MemoryBudget budget_{std::size_t{64} << 20};
};

TEST_F(ReadAheadTest, GivesTheTextOfAllInputs) {
  for (const std::size_t bytes : {std::size_t{999}, std::size_t{1} << 20, std::size_t{30} << 20}) {
    LineInput files = input();
    ReadAhead ahead(files, budget_, ReadAhead::kLeastBytes);
    EXPECT_TRUE(read_all(ahead, bytes) == text_ + text_) << bytes;
    EXPECT_TRUE(ahead.is_at_end());
    EXPECT_EQ(ahead.bytes_read(), 2 * text_.size());
  }
  EXPECT_EQ(budget_.used_bytes(), 0u);
}

TEST_F(ReadAheadTest, ThrowsWhatTheInputThrewAfterWhatItRead) {
  int calls = 0;
  LineInput files = input([&] {
    if (++calls == 4) throw std::runtime_error("stopped");
  });
  ReadAhead ahead(files, budget_, ReadAhead::kLeastBytes);
  std::vector<std::uint8_t> out(std::size_t{1} << 20);
  std::size_t got = 0;
  try {
    for (;;) got += ahead.read(out);
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "stopped");
  }
  EXPECT_GT(got, 0u);
  EXPECT_LT(got, 2 * text_.size());
}

TEST_F(ReadAheadTest, EndsBeforeTheInputDoes) {
  LineInput files = input();
  ReadAhead ahead(files, budget_, ReadAhead::kLeastBytes);
  std::vector<std::uint8_t> out(1000);
  EXPECT_EQ(ahead.read(out), out.size());
}

}  // namespace
}  // namespace spillway
