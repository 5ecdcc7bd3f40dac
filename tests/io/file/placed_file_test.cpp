#include "io/file/placed_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void no_check() {}

class PlacedFileTest : public ::testing::Test {
 protected:
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }
  std::ptrdiff_t files() const { return std::distance(std::filesystem::directory_iterator(scratch_.path()), {}); }
  testing::ScratchDirectory scratch_;
  std::string path_ = scratch_ / "out";
};

TEST_F(PlacedFileTest, TakesBytesAtPlacesInAnyOrder) {
  PlacedFile file(posix_file_system(), path_, no_check);
  ASSERT_TRUE(file.has_places());
  file.write_at(3, bytes_of("def"));
  file.write_at(0, bytes_of("abc"));
  file.finish(6);
  EXPECT_EQ(content(), "abcdef");
}

TEST_F(PlacedFileTest, LeavesTheOldContentUntilItIsFinished) {
  std::ofstream(path_) << "old content";
  {
    PlacedFile file(posix_file_system(), path_, no_check);
    file.write_at(0, bytes_of("new"));
    EXPECT_EQ(content(), "old content");
  }
  EXPECT_EQ(content(), "old content");
  EXPECT_EQ(files(), 1);
  PlacedFile file(posix_file_system(), path_, no_check);
  file.write_at(0, bytes_of("new"));
  file.finish(3);
  EXPECT_EQ(content(), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(PlacedFileTest, LetsANewFileAppearWhenItIsFinished) {
  {
    PlacedFile file(posix_file_system(), path_, no_check);
    file.write_at(0, bytes_of("abc"));
    EXPECT_EQ(files(), 0);
  }
  EXPECT_EQ(files(), 0);
  PlacedFile file(posix_file_system(), path_, no_check);
  file.write_at(0, bytes_of("abc"));
  std::ofstream(path_) << "came meanwhile";
  file.finish(3);
  EXPECT_EQ(content(), "abc");
  EXPECT_EQ(files(), 1);
}

TEST_F(PlacedFileTest, CreatesWhatALinkToNothingNames) {
  std::filesystem::create_symlink("target", path_);
  PlacedFile file(posix_file_system(), path_, no_check);
  file.write_at(0, bytes_of("abc"));
  file.finish(3);
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_EQ(content(), "abc");
}

TEST_F(PlacedFileTest, WritesToADeviceItself) {
  PlacedFile file(posix_file_system(), "/dev/full", no_check);
  ASSERT_FALSE(file.has_places());
  try {
    file.append(bytes_of("x"));
    FAIL();
  } catch (const PlacedFileError& error) {
    EXPECT_EQ(error.action, "write");
    EXPECT_EQ(error.number, ENOSPC);
    EXPECT_EQ(error.path, "/dev/full");
  }
}

TEST_F(PlacedFileTest, RefusesAtOnceWhatCannotBeWritten) {
  EXPECT_THROW(PlacedFile(posix_file_system(), scratch_.path(), no_check), PlacedFileError);
  EXPECT_THROW(PlacedFile(posix_file_system(), "", no_check), PlacedFileError);
  EXPECT_THROW(PlacedFile(posix_file_system(), path_ + "/", no_check), PlacedFileError);
  EXPECT_THROW(PlacedFile(posix_file_system(), path_ + "/none/out", no_check), PlacedFileError);
}

}  // namespace
}  // namespace spillway
