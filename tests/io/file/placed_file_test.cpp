#include "io/file/placed_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
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

// Whoever opened a descriptor goes on writing to its file, under whatever name that is reached.
TEST_F(PlacedFileTest, WritesToTheFileOfADescriptorItself) {
  std::ofstream(path_) << "old content";
  const FileDescriptor stream(::open(path_.c_str(), O_WRONLY | O_APPEND));
  const std::string number = std::to_string(stream.get()), link = scratch_ / "link";
  std::filesystem::create_symlink("/proc/self/fd/" + number, link);
  for (const std::string& path : {"/dev/fd/" + number, link}) {
    PlacedFile file(posix_file_system(), path, no_check);
    EXPECT_TRUE(file.overwrites(path_)) << path;
    file.write_at(0, bytes_of("new"));
    file.finish(3, true);
    EXPECT_EQ(::write(stream.get(), "er", 2), 2);
    EXPECT_EQ(content(), "newer") << path;
  }
  ASSERT_TRUE(std::filesystem::remove(path_));
  PlacedFile file(posix_file_system(), "/dev/fd/" + number, no_check);
  file.write_at(0, bytes_of("2"));
  file.finish(1, true);
  struct stat status = {};
  EXPECT_EQ(::fstat(stream.get(), &status), 0);
  EXPECT_EQ(status.st_size, 1);
}

void replace_content(const std::string& path) {
  PlacedFile file(posix_file_system(), path, no_check);
  EXPECT_TRUE(file.replaces(path));
  file.write_at(0, bytes_of("new"));
  file.finish(3, true);
}

TEST_F(PlacedFileTest, KeepsExtendedAttributes) {
  std::ofstream(path_) << "old content";
  const std::string value(3000, 'v');
  const bool is_set = ::setxattr(path_.c_str(), "user.long", value.data(), value.size(), 0) == 0 &&
                      ::setxattr(path_.c_str(), "user.empty", "", 0, 0) == 0;
  if (!is_set) GTEST_SKIP() << "the file system has no extended attributes of users";
  replace_content(path_);
  std::string got(value.size() + 1, ' ');
  EXPECT_EQ(::getxattr(path_.c_str(), "user.long", got.data(), got.size()), static_cast<ssize_t>(value.size()));
  EXPECT_EQ(got.substr(0, value.size()), value);
  EXPECT_EQ(::getxattr(path_.c_str(), "user.empty", got.data(), got.size()), 0);
  EXPECT_EQ(content(), "new");
}

// An access control list as the system stores it (acl(5)): a version, and entries of tag, permissions and id.
std::string access_list(std::uint32_t user, std::uint16_t permissions) {
  constexpr std::uint16_t kOwner = 1, kUser = 2, kGroup = 4, kMask = 16, kOther = 32;
  std::string bytes;
  const auto put = [&](auto number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof number); };
  const auto entry = [&](std::uint16_t tag, std::uint16_t allowed, std::uint32_t id) {
    put(tag);
    put(allowed);
    put(id);
  };
  put(std::uint32_t{2});
  entry(kOwner, 6, 0xFFFFFFFF);
  entry(kUser, permissions, user);
  entry(kGroup, 4, 0xFFFFFFFF);
  entry(kMask, 6, 0xFFFFFFFF);
  entry(kOther, 0, 0xFFFFFFFF);
  return bytes;
}

// A new file in the directory would be for others, too; the content that is replaced was not.
TEST_F(PlacedFileTest, KeepsTheAccessListOfAFileAndTakesNoneOfItsDirectory) {
  constexpr const char *kAccess = "system.posix_acl_access", *kDefault = "system.posix_acl_default";
  constexpr std::uint32_t kOther = 12345;
  std::ofstream(path_) << "old content";
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  const std::string of_new = access_list(kOther, 6), of_old = access_list(kOther, 4);
  if (::setxattr(scratch_.path().c_str(), kDefault, of_new.data(), of_new.size(), 0) != 0) {
    GTEST_SKIP() << "the file system has no access control lists";
  }
  std::string got(of_new.size() + 1, ' ');
  replace_content(path_);
  EXPECT_EQ(::getxattr(path_.c_str(), kAccess, got.data(), got.size()), -1);
  struct stat status = {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  ASSERT_EQ(::setxattr(path_.c_str(), kAccess, of_old.data(), of_old.size(), 0), 0);
  replace_content(path_);
  ASSERT_EQ(::getxattr(path_.c_str(), kAccess, got.data(), got.size()), static_cast<ssize_t>(of_old.size()));
  EXPECT_EQ(got.substr(0, of_old.size()), of_old);
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
