#include "io/file/system_error.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace spillway {
namespace {

std::string message_of(int error) {
  try {
    throw_system_error(error, "write", "a\nb");
  } catch (const IoError& thrown) {
    return thrown.what();
  }
}

TEST(SystemError, SaysWhatWhereAndWhy) {
  EXPECT_EQ(message_of(EACCES),
            "cannot write a\\x0Ab: Permission denied; check the permissions of it and of the directories above it");
}

TEST(SystemError, NamesTheRemedy) {
  EXPECT_NE(message_of(ENOSPC).find("free space"), std::string::npos);
  EXPECT_NE(message_of(EDQUOT).find("quota"), std::string::npos);
  EXPECT_NE(message_of(EFBIG).find("ulimit -f"), std::string::npos);
  EXPECT_NE(message_of(EMFILE).find("ulimit -n"), std::string::npos);
  EXPECT_NE(message_of(ENFILE).find("fs.file-max"), std::string::npos);
}

TEST(SystemError, TellsAFullDiskFromOthers) {
  for (const int error : {ENOSPC, EDQUOT, EFBIG}) EXPECT_THROW(throw_system_error(error, "x", "y"), DiskFullError);
  for (const int error : {EIO, EMFILE, EACCES}) {
    try {
      throw_system_error(error, "x", "y");
    } catch (const DiskFullError&) {
      ADD_FAILURE() << error;
    } catch (const IoError&) {
    }
  }
}

}  // namespace
}  // namespace spillway
