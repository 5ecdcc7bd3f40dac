#include "tools/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "io/error.hpp"
#include "io/file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

TEST(Output, WritesEverythingInOrder) {
  const testing::ScratchDirectory scratch;
  const int descriptor = open((scratch / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(descriptor, 0);
  std::string expected;
  Output out(descriptor, "out");
  for (int i = 0; i < 1000; ++i) {
    const std::string piece(static_cast<std::size_t>(i * 37 % 70000), static_cast<char>('a' + i % 26));
    out.write(piece);
    expected += piece;
  }
  out.flush();
  close(descriptor);
  EXPECT_TRUE(read_file(posix_file_system(), scratch / "out") == expected);
}

TEST(Output, NamesAFullDevice) {
  const int descriptor = open("/dev/full", O_WRONLY);
  if (descriptor < 0) GTEST_SKIP() << "no /dev/full here";
  Output out(descriptor, "standard output");
  out.write("x");
  try {
    out.flush();
    FAIL() << "nobody noticed";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("standard output"), std::string::npos);
  }
  close(descriptor);
}

}  // namespace
}  // namespace spillway
