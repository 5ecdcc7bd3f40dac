#include "indexer/plan/disk_space.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "tests/support/faulty_file_system.hpp"

namespace spillway {
namespace {

class DiskSpace : public ::testing::Test {
 protected:
  // The message for a need of at least 100 and probably 1000 bytes.
  std::string words(std::uint64_t free) {
    files_.set_free_bytes(free);
    std::string warned;
    try {
      check_free_space(files_, "/job/out", {"the index", 100, 1000}, [&](const std::string& text) { warned = text; });
    } catch (const BudgetError& error) {
      return std::string("refused: ") + error.what();
    }
    return warned;
  }
  testing::FaultyFileSystem files_;
};

TEST_F(DiskSpace, RefusesWhatIsCertainToFail) {
  EXPECT_TRUE(words(99).starts_with("refused: the index needs at least 100 bytes, and the disk of /job has 99 free"))
      << words(99);
}

TEST_F(DiskSpace, WarnsOfWhatMayFail) {
  EXPECT_TRUE(words(100).starts_with("the index may need 1000 bytes, and the disk of /job has 100 free")) << words(100);
  EXPECT_TRUE(words(999).starts_with("the index may need")) << words(999);
}

TEST_F(DiskSpace, SaysNothingWhereThereIsRoom) { EXPECT_EQ(words(1000), ""); }

}  // namespace
}  // namespace spillway
