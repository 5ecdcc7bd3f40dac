#include "tools/bench/sorts/line_set.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ScratchDirectory;

class LineSetTest : public ::testing::Test {
 protected:
  std::vector<std::string> strings(const std::string& text, std::uint64_t count) {
    std::ofstream(path()) << text;
    const LineSet set(posix_file_system(), path(), budget_);
    std::vector<std::string> all;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string room(set.max_bytes(), '?');
      room.resize(static_cast<std::size_t>(set.write(i, room.data()) - room.data()));
      all.push_back(room);
    }
    EXPECT_EQ(set.count(), 3u);
    return all;
  }
  std::string path() const { return scratch_ / "lines"; }
  ScratchDirectory scratch_;
  MemoryBudget budget_{std::size_t{1} << 20};
};

TEST_F(LineSetTest, HasTheLinesOverAndOver) {
  const std::vector<std::string> expected{"one", "", "three", "one", ""};
  EXPECT_EQ(strings("one\n\nthree\n", 5), expected);
  EXPECT_EQ(strings("one\n\nthree", 5), expected);
  EXPECT_EQ(budget_.used_bytes(), 0u);
}

TEST_F(LineSetTest, RefusesAFileWithoutLinesOrTooLargeForTheBudget) {
  EXPECT_THROW(LineSet(posix_file_system(), path(), budget_), IoError);
  std::ofstream(path()) << "";
  EXPECT_THROW(LineSet(posix_file_system(), path(), budget_), UsageError);
  std::ofstream(path()) << std::string(2 << 20, '\n');
  EXPECT_THROW(LineSet(posix_file_system(), path(), budget_), BudgetError);
}

}  // namespace
}  // namespace spillway
