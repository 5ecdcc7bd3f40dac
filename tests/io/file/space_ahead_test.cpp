#include "io/file/space_ahead.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "io/file/descriptor.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

constexpr std::uint64_t kReserved = std::uint64_t{8} << 20;

struct stat status_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status;
}

std::uint64_t taken_bytes(const std::string& path) {
  return static_cast<std::uint64_t>(status_of(path).st_blocks) * 512;
}

// Each test runs in the directory of temporary files and in memory.
class SpaceAheadTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(parent_)) GTEST_SKIP() << "there is no " << parent_;
    if (!takes_space()) GTEST_SKIP() << parent_ << " is on a file system that takes no space ahead";
    text_.resize(100'001);
    for (std::size_t i = 0; i < text_.size(); ++i) text_[i] = static_cast<std::uint8_t>(i * 2654435761U >> 24);
  }
  bool takes_space() const {
    const FileDescriptor file(::open(parent_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    return ::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, 0, 1) == 0;
  }
  std::vector<std::uint8_t> content() const {
    const std::string bytes = read_file(posix_file_system(), path_);
    return {bytes.begin(), bytes.end()};
  }

  const std::string parent_ = GetParam();
  testing::ScratchDirectory directory_{parent_};
  const std::string path_ = directory_ / "file";
  std::vector<std::uint8_t> text_;
};

TEST_P(SpaceAheadTest, IsGivenBackByClose) {
  const auto file = posix_file_system().create(path_);
  file->append(std::span(text_).first(1000));
  EXPECT_TRUE(file->reserve(kReserved));
  EXPECT_GE(taken_bytes(path_), kReserved);
  EXPECT_EQ(status_of(path_).st_size, 1000) << "readers see what was written";
  file->append(std::span(text_).subspan(1000));
  file->close();
  EXPECT_LT(taken_bytes(path_), text_.size() + 65536);
  EXPECT_EQ(content(), text_);
}

TEST_P(SpaceAheadTest, IsGivenBackBySync) {
  const auto file = posix_file_system().create(path_);
  EXPECT_TRUE(file->reserve(kReserved));
  file->append(text_);
  file->sync();
  EXPECT_LT(taken_bytes(path_), text_.size() + 65536);
  EXPECT_TRUE(file->reserve(kReserved)) << "it can be taken again";
  file->append(text_);
  file->sync();
  file->close();
  EXPECT_LT(taken_bytes(path_), 2 * text_.size() + 65536);
  EXPECT_EQ(content().size(), 2 * text_.size());
}

TEST_P(SpaceAheadTest, MayBeExceeded) {
  const auto file = posix_file_system().create(path_);
  EXPECT_TRUE(file->reserve(4096));
  file->append(text_);
  EXPECT_TRUE(file->reserve(text_.size() / 2)) << "the file has it";
  file->close();
  EXPECT_EQ(content(), text_);
}

TEST_P(SpaceAheadTest, IsRefusedBeyondTheDisk) {
  const auto file = posix_file_system().create(path_);
  EXPECT_FALSE(file->reserve(std::uint64_t{1} << 60));
  EXPECT_FALSE(file->reserve(~std::uint64_t{0}));
  EXPECT_LT(taken_bytes(path_), kReserved);
  EXPECT_TRUE(file->reserve(kReserved)) << "less fits";
  file->append(text_);
  file->close();
  EXPECT_EQ(content(), text_);
}

TEST_P(SpaceAheadTest, IsRefusedBeyondTheLimitOfTheProcess) {
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit low { kReserved / 2, before.rlim_max };
  const auto file = posix_file_system().create(path_);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  EXPECT_FALSE(file->reserve(kReserved)) << "and no signal comes";
  file->append(text_);
  file->close();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(content(), text_);
}

TEST_P(SpaceAheadTest, IsTriedNoMoreAfterAFailure) {
  posix_file_system().create(path_)->close();
  const FileDescriptor readable(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  const FileDescriptor writable(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
  FileSpace space;
  EXPECT_FALSE(space.reserve(readable.get(), 0, kReserved));
  EXPECT_FALSE(space.reserve(writable.get(), 0, kReserved));
  EXPECT_EQ(space.give_back(writable.get(), 0), 0);
  EXPECT_EQ(taken_bytes(path_), 0u);
}

TEST_P(SpaceAheadTest, IsHarmlessWithoutClose) {
  {
    const auto file = posix_file_system().create(path_);
    EXPECT_TRUE(file->reserve(kReserved));
    file->append(text_);
  }
  EXPECT_EQ(content(), text_);
}

INSTANTIATE_TEST_SUITE_P(Directories, SpaceAheadTest, ::testing::Values("/tmp", "/dev/shm"),
                         [](const auto& test) { return std::string(test.index == 0 ? "Temporary" : "Memory"); });

TEST(SpaceAhead, NeedsAFileSystem) {
  EXPECT_FALSE(posix_file_system().is_in_memory("/proc"));
  const FileDescriptor device(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  FileSpace space;
  EXPECT_FALSE(space.reserve(device.get(), 0, kReserved)) << "a device has no space";
}

}  // namespace
}  // namespace spillway
