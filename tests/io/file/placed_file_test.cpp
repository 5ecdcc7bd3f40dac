#include "io/file/placed_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

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
  file.finish(6, true);
  EXPECT_EQ(content(), "abcdef");
}

TEST_F(PlacedFileTest, HasNoMoreBytesThanItGotWhereMoreWereExpected) {
  const std::string text(std::size_t{3} << 20, 't');
  for (const std::size_t bytes : {text.size(), std::size_t{5000}, std::size_t{0}}) {
    PlacedFile file(posix_file_system(), path_, no_check);
    file.expect_all(text.size());
    file.write_at(0, bytes_of(std::string_view(text).substr(0, bytes)));
    file.finish(bytes, true);
    EXPECT_TRUE(content() == text.substr(0, bytes)) << bytes;
  }
}

TEST_F(PlacedFileTest, TakesBytesOfManyThreadsInRangesThatAreExpected) {
  constexpr std::size_t kRange = 3456789, kPart = 123457;
  std::string text(5 * kRange, '\0');
  for (std::size_t i = 0; i != text.size(); ++i) text[i] = static_cast<char>(i * 2654435761u >> 13);
  PlacedFile file(posix_file_system(), path_, no_check);
  for (std::size_t begin = 0; begin != text.size(); begin += kRange) {
    file.expect(begin, kRange);
    std::vector<std::jthread> threads;
    for (std::size_t at = begin; at < begin + kRange; at += kPart) {
      const auto part = std::string_view(text).substr(at, std::min(kPart, begin + kRange - at));
      threads.emplace_back([&file, at, part] { file.write_at(at, bytes_of(part)); });
    }
  }
  file.write_at(text.size(), bytes_of("the end"));
  file.finish(text.size() + 7, true);
  EXPECT_TRUE(content() == text + "the end");
}

TEST_F(PlacedFileTest, TakesBytesOfManyThreadsPastThePageCache) {
  std::string text((std::size_t{3} << 20) + 777, '\0');
  for (std::size_t i = 0; i != text.size(); ++i) text[i] = static_cast<char>(i * 2654435761u >> 13);
  PlacedFile file(posix_file_system(), path_, no_check);
  file.write_directly();
  EXPECT_FALSE(file.expect(0, text.size()));
  constexpr std::size_t kParts[] = {4096, 1, 123457, 8192, 4095, 1300000, 61};
  std::vector<std::jthread> threads;
  for (std::size_t at = 0, number = 0; at < text.size(); at += kParts[number++ % std::size(kParts)]) {
    const auto part = std::string_view(text).substr(at, kParts[number % std::size(kParts)]);
    threads.emplace_back([&file, at, part] { file.write_at(at, bytes_of(part)); });
  }
  threads.clear();
  file.finish(text.size(), true);
  EXPECT_TRUE(content() == text);
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
  file.finish(3, true);
  EXPECT_EQ(content(), "new");
  EXPECT_EQ(files(), 1);
}

// The new content has a longer name for a moment.
TEST_F(PlacedFileTest, ReplacesAFileWhoseNameIsAsLongAsANameMayBe) {
  for (const char* text : {"n", "\xC3\xB6"}) {
    std::string name = "n";
    while (name.size() + 2 <= 255) name += text;
    path_ = scratch_ / name;
    std::ofstream(path_) << "old content";
    PlacedFile file(posix_file_system(), path_, no_check);
    file.write_at(0, bytes_of("new"));
    ASSERT_NO_THROW(file.finish(3, true));
    EXPECT_EQ(content(), "new");
  }
  EXPECT_EQ(files(), 2);
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
  file.finish(3, true);
  EXPECT_EQ(content(), "abc");
  EXPECT_EQ(files(), 1);
}

TEST_F(PlacedFileTest, CreatesWhatALinkToNothingNames) {
  std::filesystem::create_symlink("target", path_);
  PlacedFile file(posix_file_system(), path_, no_check);
  file.write_at(0, bytes_of("abc"));
  file.finish(3, true);
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_EQ(content(), "abc");
}

TEST_F(PlacedFileTest, LeavesAnEmptyFileEmptyUntilItIsFinished) {
  std::ofstream{path_};
  {
    PlacedFile file(posix_file_system(), path_, no_check);
    file.write_at(0, bytes_of("half"));
  }
  EXPECT_EQ(content(), "");
  EXPECT_EQ(files(), 1);
}

// The shell's later writes must reach the file that has the name.
TEST_F(PlacedFileTest, WritesToWhatStandardOutputIsItself) {
  std::ofstream(path_) << "old content";
  const FileDescriptor saved(::dup(STDERR_FILENO)), stream(::open(path_.c_str(), O_WRONLY));
  ::dup2(stream.get(), STDERR_FILENO);
  {
    PlacedFile file(posix_file_system(), path_, no_check);
    file.write_at(0, bytes_of("new"));
    file.finish(3, true);
  }
  EXPECT_EQ(::pwrite(STDERR_FILENO, "er", 2, 3), 2);
  ::dup2(saved.get(), STDERR_FILENO);
  EXPECT_EQ(content(), "newer");
}

// Runs in a child process, as another user.
int write_as(uid_t user, const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(user) != 0 || ::setuid(user) != 0) ::_exit(2);
    try {
      PlacedFile file(posix_file_system(), path, no_check);
      file.write_at(0, bytes_of("new"));
      file.finish(3, true);
      ::_exit(0);
    } catch (const PlacedFileError&) {
      ::_exit(1);
    }
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(PlacedFileTest, KeepsTheOwnerOfAFileInADirectoryOfAll) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may become another user";
  constexpr uid_t kOwner = 12345, kWriter = 12346;
  for (const mode_t mode : {0777, 01777}) {  // without and with the sticky bit
    std::ofstream(path_) << "old content";
    ASSERT_EQ(::chmod(scratch_.path().c_str(), mode), 0);
    ASSERT_EQ(::chmod(path_.c_str(), 0666), 0);
    ASSERT_EQ(::chown(path_.c_str(), kOwner, kOwner), 0);
    EXPECT_EQ(write_as(kWriter, path_), 0) << mode;
    struct stat status = {};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, kOwner) << mode;
    EXPECT_EQ(content(), "new");
    EXPECT_EQ(files(), 1);
    std::filesystem::remove(path_);
  }
}

TEST_F(PlacedFileTest, WritesToAFileThatIsMounted) {
  std::ofstream(path_) << "old content";
  const std::string other = scratch_ / "other";
  std::ofstream(other) << "content of another";
  if (::mount(other.c_str(), path_.c_str(), nullptr, MS_BIND, nullptr) != 0) GTEST_SKIP() << "cannot mount here";
  PlacedFile file(posix_file_system(), path_, no_check);
  file.write_at(0, bytes_of("new"));
  EXPECT_NO_THROW(file.finish(3, true));
  EXPECT_EQ(content(), "new");
  EXPECT_EQ(::umount(path_.c_str()), 0);
}

// Where there is no room for another file, an error in the middle would cost the old content.
TEST_F(PlacedFileTest, KeepsTheOldContentWhereThereIsNoRoomForAnother) {
  if (::mount("tmpfs", scratch_.path().c_str(), "tmpfs", 0, "nr_inodes=2") != 0) GTEST_SKIP() << "cannot mount here";
  std::ofstream(path_) << "old content";  // its inode is the second one
  try {
    PlacedFile file(posix_file_system(), path_, no_check);
    ADD_FAILURE();
  } catch (const PlacedFileError& error) {
    EXPECT_EQ(error.action, "open");
    EXPECT_EQ(error.number, ENOSPC);
    EXPECT_EQ(error.path, path_);
  }
  EXPECT_EQ(content(), "old content");
  EXPECT_EQ(::umount(scratch_.path().c_str()), 0);
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

TEST_F(PlacedFileTest, KnowsTheFileThatItReplaces) {
  std::ofstream(path_) << "old";
  const std::string link = scratch_ / "link", other = scratch_ / "other";
  ASSERT_EQ(::symlink(path_.c_str(), link.c_str()), 0);
  std::ofstream(other) << "old";
  PlacedFile file(posix_file_system(), path_, no_check);
  EXPECT_TRUE(file.replaces(path_));
  EXPECT_TRUE(file.replaces(link));
  EXPECT_FALSE(file.replaces(other));
  EXPECT_FALSE(file.replaces(scratch_ / "none"));
  ASSERT_EQ(::symlink("loop", (scratch_ / "loop").c_str()), 0);
  EXPECT_TRUE(file.replaces(scratch_ / "loop"));  // nobody knows
  EXPECT_FALSE(file.overwrites(path_));
  file.write_at(0, bytes_of("new"));
  file.finish(3, false);
  EXPECT_EQ(content(), "new");
}

}  // namespace
}  // namespace spillway
