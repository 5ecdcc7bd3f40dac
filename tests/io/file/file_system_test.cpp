#include "io/file/file_system.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "tests/support/faulty_file_system.hpp"

namespace spillway {
namespace {

using namespace testing;

TEST(ReadFile, ReadsAllOfASmallFile) {
  FaultyFileSystem files;
  files.put("/job/a", "text");
  files.put("/job/empty", "");
  const std::string large(200'000, 'x');
  files.put("/job/large", large);
  EXPECT_EQ(read_file(files, "/job/a"), "text");
  EXPECT_EQ(read_file(files, "/job/empty"), "");
  EXPECT_EQ(read_file(files, "/job/large", 200'000), large);
  EXPECT_THROW(read_file(files, "/job/large", 199'999), IoError);
  EXPECT_THROW(read_file(files, "/job/none"), IoError);
}

}  // namespace
}  // namespace spillway
