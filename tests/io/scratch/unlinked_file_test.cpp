#include "io/scratch/unlinked_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "io/base/error.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

TEST(UnlinkedFile, HasNoNameAndGivesBackWhatItTook) {
  const testing::ScratchDirectory scratch;
  UnlinkedFile file(scratch.path());
  const std::vector<std::uint8_t> first(10000, 'a'), second(5, 'b');
  EXPECT_EQ(file.append(first), 0u);
  EXPECT_EQ(file.append(second), 10000u);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  file.release(0, 4096);
  std::vector<std::uint8_t> out(6);
  file.read_at(9999, out);
  EXPECT_EQ(out, (std::vector<std::uint8_t>{'a', 'b', 'b', 'b', 'b', 'b'}));
  EXPECT_THROW(file.read_at(10000, out), IoError);
}

TEST(UnlinkedFile, NamesTheDirectoryThatIsNotThere) {
  try {
    UnlinkedFile file("/no/such/directory");
    FAIL();
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("/no/such/directory"), std::string::npos);
  }
}

}  // namespace
}  // namespace spillway
