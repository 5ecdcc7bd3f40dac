#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "io/base/error.hpp"
#include "io/file/file_system.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/file/system_error.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ScratchDirectory;

class PosixFileSystem : public ::testing::Test {
 protected:
  void put(const std::string& name, std::string_view text) { std::ofstream(directory / name) << text; }
  std::string get(const std::string& name) { return read_file(files, directory / name); }
  static std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  }
  // Returns the message of the error that `call` throws.
  template <typename Call>
  std::string message_of(Call call) {
    try {
      call();
    } catch (const IoError& error) {
      return error.what();
    }
    ADD_FAILURE() << "no IoError";
    return "";
  }
  static void expect_contains(const std::string& message, std::string_view part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }

  mode_t mode_of(const std::string& name) const {
    struct stat found {};
    EXPECT_EQ(::stat((directory / name).c_str(), &found), 0) << name;
    return found.st_mode & 07777;
  }

  ScratchDirectory directory;
  FileSystem& files = posix_file_system();
};

// A socket with a name.
class SocketFile {
 public:
  explicit SocketFile(const std::string& path) : descriptor_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~SocketFile() { ::close(descriptor_); }
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;

 private:
  int descriptor_;
};

TEST_F(PosixFileSystem, ReadsAtAnyOffset) {
  put("a", "0123456789");
  const auto file = files.open(directory / "a");
  EXPECT_EQ(file->size(), 10u);
  EXPECT_EQ(file->path(), directory / "a");
  std::string got(4, ' ');
  const std::span<std::uint8_t> out(reinterpret_cast<std::uint8_t*>(got.data()), got.size());
  EXPECT_EQ(file->read_at(3, out), 4u);
  EXPECT_EQ(got, "3456");
  EXPECT_EQ(file->read_at(8, out), 2u);
  EXPECT_EQ(file->read_at(10, out), 0u);
  EXPECT_EQ(file->read_at(~std::uint64_t{0}, out), 0u);
  expect_contains(message_of([&] { file->read_exactly(8, out); }), "offset 8");
}

TEST_F(PosixFileSystem, MapsWholeFiles) {
  put("a", "mapped");
  put("empty", "");
  const auto file = files.open(directory / "a");
  const auto mapped = file->map();
  EXPECT_EQ(std::string(mapped.begin(), mapped.end()), "mapped");
  EXPECT_EQ(file->map().data(), mapped.data());
  EXPECT_TRUE(files.open(directory / "empty")->map().empty());
}

TEST_F(PosixFileSystem, TellsThatAMappedFileWasTruncated) {
  put("a", std::string(20000, 'x'));
  const auto file = files.open(directory / "a"), whole = files.open(directory / "a");
  const auto mapped = file->map();
  EXPECT_NO_THROW(file->check_mapping());
  std::filesystem::resize_file(directory / "a", 10000);
  EXPECT_EQ(mapped[9999], 'x');
  EXPECT_EQ(mapped[10000], 0);
  EXPECT_EQ(mapped[19999], 0);
  try {
    file->check_mapping();
    ADD_FAILURE() << "no error";
  } catch (const FormatError& error) {
    expect_contains(error.what(), directory / "a" + " at byte 10000: expected 20000 bytes");
  }
  std::uint8_t byte = 0;
  EXPECT_THROW(file->read_at(0, {&byte, 1}), FormatError);
  EXPECT_NO_THROW(whole->check_mapping()) << "it is not mapped";
}

TEST_F(PosixFileSystem, TellsThatAMappedFileWasLostThoughAnotherHasItsName) {
  put("a", std::string(20000, 'x'));
  put("b", std::string(30000, 'y'));
  const auto file = files.open(directory / "a");
  const auto mapped = file->map();
  std::filesystem::create_hard_link(directory / "a", directory / "kept");
  files.rename(directory / "b", directory / "a");
  EXPECT_EQ(mapped[19999], 'x');
  EXPECT_NO_THROW(file->check_mapping());
  std::filesystem::resize_file(directory / "kept", 0);
  EXPECT_EQ(mapped[19999], 0);
  expect_contains(message_of([&] { file->check_mapping(); }), "cannot read at offset 16384 of " + directory.path());
}

TEST_F(PosixFileSystem, OpensRegularFilesOnly) {
  ASSERT_EQ(mkfifo((directory / "fifo").c_str(), 0600), 0);
  expect_contains(message_of([&] { files.open(directory.path()); }), "found a directory");
  expect_contains(message_of([&] { files.open("/dev/null"); }), "found a device");
  expect_contains(message_of([&] { files.open(directory / "fifo"); }), "found a FIFO");
  expect_contains(message_of([&] { files.open_stream(directory.path()); }), "found a directory");
  const SocketFile socket(directory / "socket");
  expect_contains(message_of([&] { files.open(directory / "socket"); }), "found a socket");
  expect_contains(message_of([&] { files.open_stream(directory / "socket"); }), "found a socket");
  expect_contains(message_of([&] { read_file(files, directory / "fifo"); }), "found a FIFO");
  expect_contains(message_of([&] { files.open(directory / "none"); }), "No such file");
}

TEST_F(PosixFileSystem, EscapesPathsInMessages) {
  expect_contains(message_of([&] { files.open(directory / "a\x1B[31m"); }), "a\\x1B[31m");
}

TEST_F(PosixFileSystem, WritesWhatIsAppended) {
  const auto file = files.create(directory / "out");
  file->append(bytes_of("one "));
  file->append({});
  file->append(bytes_of("two"));
  EXPECT_EQ(file->size(), 7u);
  file->sync();
  file->close();
  EXPECT_EQ(get("out"), "one two");
  EXPECT_THROW(file->append(bytes_of("x")), std::logic_error);
  EXPECT_THROW(file->close(), std::logic_error);
}

TEST_F(PosixFileSystem, CreatesNothingOverSomething) {
  put("out", "kept");
  const std::string message = message_of([&] { files.create(directory / "out"); });
  expect_contains(message, "exists");
  expect_contains(message, "remove it, or choose another name");
  EXPECT_EQ(get("out"), "kept");
}

TEST_F(PosixFileSystem, NamesTheRemedyOnAFullDevice) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  std::filesystem::create_symlink("/dev/full", directory / "full");
  // Checks the message only. O_EXCL refuses links to a full device; the test below uses a limit on file sizes instead.
  EXPECT_THROW(throw_system_error(ENOSPC, "write", "x"), DiskFullError);
  EXPECT_THROW(throw_system_error(EDQUOT, "write", "x"), DiskFullError);
  expect_contains(message_of([&] { throw_system_error(ENOSPC, "write", "x"); }), "free space");
  expect_contains(message_of([&] { files.create(directory / "full"); }), "exists");
}

TEST_F(PosixFileSystem, ReportsAFileSizeLimitAndFailsForGood) {
  const auto before_signal = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto file = files.create(directory / "out");
  rlimit small = before;
  small.rlim_cur = 100;
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string text(150, 'x');
  std::string message;
  try {
    file->append(bytes_of(text));
  } catch (const DiskFullError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, before_signal);
  expect_contains(message, "ulimit -f");
  expect_contains(message, "offset 100");
  EXPECT_THROW(file->append(bytes_of("y")), IoError);
  EXPECT_THROW(file->sync(), IoError);
  EXPECT_THROW(file->close(), IoError);
}

TEST_F(PosixFileSystem, NamesTheLimitOfOpenFiles) {
  put("a", "x");
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit small = before;
  small.rlim_cur = 0;
  setrlimit(RLIMIT_NOFILE, &small);
  std::string message;
  try {
    files.open(directory / "a");
  } catch (const IoError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_NOFILE, &before);
  expect_contains(message, "ulimit -n");
}

TEST_F(PosixFileSystem, StreamsFifosToTheirEnd) {
  ASSERT_EQ(mkfifo((directory / "fifo").c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream fifo(directory / "fifo");
    for (int i = 0; i < 1000; ++i) fifo << "line " << i << '\n' << std::flush;
  });
  const std::string got = read_stream(files, directory / "fifo", 1 << 20, {});
  writer.join();
  EXPECT_TRUE(got.starts_with("line 0\nline 1\n"));
  EXPECT_TRUE(got.ends_with("line 999\n"));
}

TEST_F(PosixFileSystem, StreamsStandardInputEvenIfItDoesNotBlock) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  const int before = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(::write(ends[1], "late", 4), 4);
    ::close(ends[1]);
  });
  const auto stream = files.open_stream("-");
  std::uint8_t out[10];
  EXPECT_EQ(stream->read(out), 4u);
  EXPECT_EQ(stream->read(out), 0u);
  writer.join();
  dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(ends[0]);
}

TEST_F(PosixFileSystem, SaysWhatIsThere) {
  put("a", "12345");
  std::filesystem::create_directory(directory / "d");
  std::filesystem::create_symlink(directory / "a", directory / "link");
  std::filesystem::create_symlink(directory / "nowhere", directory / "broken");
  ASSERT_EQ(mkfifo((directory / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(files.status(directory / "a")->size, 5u);
  EXPECT_GT(files.status(directory / "a")->modified_ns, 1'500'000'000'000'000'000);
  EXPECT_EQ(files.status(directory / "a")->type, FileType::kRegular);
  EXPECT_EQ(files.status(directory / "d")->type, FileType::kDirectory);
  EXPECT_EQ(files.status(directory / "fifo")->type, FileType::kFifo);
  EXPECT_EQ(files.status("/dev/null")->type, FileType::kDevice);
  const SocketFile socket(directory / "socket");
  EXPECT_EQ(files.status(directory / "socket")->type, FileType::kSocket);
  EXPECT_EQ(files.status(directory / "link")->size, 5u);
  EXPECT_FALSE(files.status(directory / "none"));
  EXPECT_FALSE(files.status(directory / "a/below"));
  EXPECT_FALSE(files.status(directory / "broken"));
  EXPECT_TRUE(files.is_link(directory / "link"));
  EXPECT_TRUE(files.is_link(directory / "broken"));
  EXPECT_FALSE(files.is_link(directory / "a"));
  EXPECT_FALSE(files.is_link(directory / "none"));
  EXPECT_GT(files.free_bytes(directory.path()), 0u);
}

TEST_F(PosixFileSystem, ListsInByteOrder) {
  for (const char* name : {"b", "a", "B", ".hidden", "\xC3\xA4", "a b", "10", "9"}) put(name, "");
  const std::vector<std::string> expected{".hidden", "10", "9", "B", "a", "a b", "b", "\xC3\xA4"};
  EXPECT_EQ(files.list(directory.path()), expected);
  EXPECT_THROW(files.list(directory / "none"), IoError);
  EXPECT_THROW(files.list(directory / "a"), IoError);
}

TEST_F(PosixFileSystem, VisitsEntriesWithTheirTypes) {
  put("file", "");
  files.make_directory(directory / "directory");
  std::filesystem::create_symlink("file", directory / "link");
  std::filesystem::create_symlink("nothing", directory / "dangling");
  ASSERT_EQ(mkfifo((directory / "fifo").c_str(), 0600), 0);
  using Types = std::map<std::string, std::optional<FileType>>;
  const Types expected{{"file", FileType::kRegular},
                       {"directory", FileType::kDirectory},
                       {"link", std::nullopt},
                       {"dangling", std::nullopt},
                       {"fifo", FileType::kFifo}};
  Types found, by_default;
  files.visit_entries(directory.path(), [&](const DirectoryEntry& entry) { found.emplace(entry.name, entry.type); });
  EXPECT_EQ(found, expected);
  files.FileSystem::visit_entries(directory.path(),
                                  [&](const DirectoryEntry& entry) { by_default.emplace(entry.name, entry.type); });
  EXPECT_EQ(by_default, expected);
  EXPECT_THROW(files.visit_entries(directory / "none", [](const DirectoryEntry&) {}), IoError);
}

TEST_F(PosixFileSystem, MakesRenamesAndRemoves) {
  files.make_directory(directory / "d");
  EXPECT_THROW(files.make_directory(directory / "d"), IoError);
  put("d/a", "x");
  files.rename(directory / "d/a", directory / "d/b");
  EXPECT_EQ(files.list(directory / "d"), std::vector<std::string>{"b"});
  EXPECT_THROW(files.rename(directory / "d/a", directory / "d/c"), IoError);
  EXPECT_THROW(files.remove(directory / "d"), IoError);
  files.sync_directory(directory / "d");
  files.remove(directory / "d/b");
  files.remove(directory / "d");
  EXPECT_FALSE(files.status(directory / "d"));
  EXPECT_THROW(files.remove(directory / "d"), IoError);
  EXPECT_THROW(files.sync_directory(directory / "d"), IoError);
}

TEST_F(PosixFileSystem, RenamesToNewNamesOnly) {
  put("a", "x");
  put("b", "kept");
  std::filesystem::create_symlink(directory / "nowhere", directory / "broken");
  EXPECT_FALSE(files.rename_to_new(directory / "a", directory / "b"));
  EXPECT_FALSE(files.rename_to_new(directory / "a", directory / "broken"));
  EXPECT_EQ(get("b"), "kept");
  EXPECT_TRUE(files.rename_to_new(directory / "a", directory / "c"));
  EXPECT_EQ(get("c"), "x");
  EXPECT_FALSE(files.status(directory / "a"));
  EXPECT_THROW(files.rename_to_new(directory / "a", directory / "d"), IoError);
}

TEST_F(PosixFileSystem, ReadsFilesThatSayTheyAreEmptyToTheirEnd) {
  EXPECT_EQ(files.status("/proc/self/status")->size, 0u);
  EXPECT_TRUE(read_file(files, "/proc/self/status").starts_with("Name:"));
}

// Otherwise messages for a closed standard error would get into the file.
TEST_F(PosixFileSystem, LeavesTheNumbersOfClosedStandardStreamsFree) {
  const int before = dup(STDIN_FILENO);
  ::close(STDIN_FILENO);
  const auto file = files.create(directory / "a");
  const auto lock = files.create_lock(directory / "lock", "content");
  const auto stream = files.open_stream(directory / "a");
  EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFD), -1);
  file->append(bytes_of("whole"));
  file->close();
  files.sync_directory(directory.path());
  EXPECT_EQ(get("a"), "whole");
  dup2(before, STDIN_FILENO);
  ::close(before);
}

TEST_F(PosixFileSystem, ExchangesTwoPathsOrSaysThatItCannot) {
  std::filesystem::create_directories(directory / "d");
  std::filesystem::create_directories(directory / "e");
  put("d/a", "x");
  std::filesystem::create_directory_symlink(directory / "d", directory / "link");
  const bool can = files.exchange(directory / "d", directory / "e");
  EXPECT_EQ(files.status(directory / "e/a").has_value(), can);
  EXPECT_EQ(files.status(directory / "d/a").has_value(), !can);
  EXPECT_EQ(files.exchange(directory / "e", directory / "link"), can);
  EXPECT_EQ(files.is_link(directory / "e"), can) << "the link itself goes";
  EXPECT_THROW(files.exchange(directory / "d", directory / "none"), IoError);
  EXPECT_TRUE(files.status(directory / "d"));
}

TEST_F(PosixFileSystem, MakesPrivateFilesAndDirectoriesForTheOwnerAlone) {
  const mode_t before = umask(0);
  files.make_private_directory(directory / "d");
  files.create_private(directory / "d/file");
  const auto lock = files.create_lock(directory / "d/LOCK", "content");
  const std::string unique = files.make_unique_directory(directory / "name-");
  files.make_directory(directory / "open");
  files.create(directory / "open/file");
  umask(before);
  EXPECT_EQ(mode_of("d"), 0700U);
  EXPECT_EQ(mode_of("d/file"), 0600U);
  EXPECT_EQ(mode_of("d/LOCK"), 0600U);
  EXPECT_EQ(mode_of(std::filesystem::path(unique).filename()), 0700U);
  EXPECT_EQ(mode_of("open"), 0777U);
  EXPECT_EQ(mode_of("open/file"), 0666U);
  EXPECT_THROW(files.make_private_directory(directory / "d"), IoError);
  EXPECT_THROW(files.create_private(directory / "d/file"), IoError);
}

TEST_F(PosixFileSystem, MakesDirectoriesWithNewNames) {
  const std::string one = files.make_unique_directory(directory / "name-"),
                    other = files.make_unique_directory(directory / "name-");
  EXPECT_NE(one, other);
  for (const std::string& path : {one, other}) {
    EXPECT_TRUE(path.starts_with(directory / "name-")) << path;
    EXPECT_EQ(path.size(), (directory / "name-").size() + 6) << path;
    EXPECT_EQ(files.status(path)->type, FileType::kDirectory);
  }
  EXPECT_THROW(files.make_unique_directory(directory / "none/name-"), IoError);
}

TEST_F(PosixFileSystem, LocksOnceAtATime) {
  auto held = files.create_lock(directory / "LOCK", "content");
  ASSERT_TRUE(held);
  EXPECT_EQ(get("LOCK"), "content");
  EXPECT_FALSE(files.try_lock(directory / "LOCK"));
  held.reset();
  held = files.try_lock(directory / "LOCK");
  EXPECT_TRUE(held);
  EXPECT_EQ(get("LOCK"), "content");
  std::filesystem::remove(directory / "LOCK");
  EXPECT_THROW(files.try_lock(directory / "LOCK"), IoError) << "only create_lock() makes a file";
  EXPECT_TRUE(files.create_lock(directory / "LOCK", "content")) << "a removed file guards nothing";
  EXPECT_THROW(files.try_lock(directory / "none/LOCK"), IoError);
  EXPECT_THROW(files.create_lock(directory / "none/LOCK", ""), IoError);
}

TEST_F(PosixFileSystem, MakesNoLockWhereSomethingIs) {
  put("file", "kept");
  std::filesystem::create_symlink(directory / "nothing", directory / "link");
  for (const char* name : {"file", "link"}) EXPECT_FALSE(files.create_lock(directory / name, "content")) << name;
  EXPECT_EQ(get("file"), "kept");
  EXPECT_FALSE(files.status(directory / "nothing"));
}

TEST_F(PosixFileSystem, LocksOnlyRegularFilesAndFollowsNoLink) {
  put("file", "x");
  std::filesystem::create_symlink(directory / "file", directory / "link");
  ASSERT_EQ(mkfifo((directory / "fifo").c_str(), 0600), 0);
  std::filesystem::create_directory(directory / "d");
  for (const char* name : {"link", "fifo", "d"}) EXPECT_THROW(files.try_lock(directory / name), IoError) << name;
}

TEST_F(PosixFileSystem, KnowsMountPoints) {
  EXPECT_TRUE(files.is_mount_point("/proc"));
  EXPECT_FALSE(files.is_mount_point("/proc/self"));
  EXPECT_FALSE(files.is_mount_point(directory.path()));
  EXPECT_FALSE(files.is_mount_point(directory / "none"));
}

TEST_F(PosixFileSystem, ResolvesLinksAndKeepsWhatIsNotThereYet) {
  std::filesystem::create_directory(directory / "d");
  std::filesystem::create_directory_symlink(directory / "d", directory / "link");
  const std::string real = std::filesystem::canonical(directory.path());
  EXPECT_EQ(files.resolve(directory / "link"), real + "/d");
  EXPECT_EQ(files.resolve(directory / "link/"), real + "/d");
  EXPECT_EQ(files.resolve(directory / "link/new/er"), real + "/d/new/er");
  EXPECT_EQ(files.resolve(directory / "new/"), real + "/new");
  EXPECT_EQ(files.resolve(directory / "d/./../new"), real + "/new");
  std::filesystem::create_directory_symlink("missing", directory / "d/to-nothing");
  std::filesystem::create_directory_symlink(directory / "d/to-nothing", directory / "to-that");
  EXPECT_EQ(files.resolve(directory / "to-that"), real + "/d/missing");
  std::filesystem::create_directory_symlink(directory / "round", directory / "round");
  EXPECT_THROW(files.resolve(directory / "round"), IoError);
  EXPECT_EQ(files.resolve("/"), "/");
  EXPECT_EQ(files.resolve("not-there"), std::filesystem::current_path().string() + "/not-there");
}

}  // namespace
}  // namespace spillway
