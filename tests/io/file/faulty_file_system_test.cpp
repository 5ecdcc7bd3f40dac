#include "tests/support/faulty_file_system.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "io/file/system_error.hpp"

namespace spillway {
namespace {

using namespace testing;

std::vector<std::uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

void write(FaultyFileSystem& files, const std::string& path, std::string_view text) {
  const auto file = files.create(path);
  file->append(bytes_of(text));
  file->close();
}

TEST(FaultyFileSystem, BehavesAsAFileSystem) {
  FaultyFileSystem files;
  files.make_directory("d");
  write(files, "/job/d/b", "bytes");
  write(files, "d/a", "");
  EXPECT_EQ(files.list("/job/d"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(files.status("d/b")->size, 5u);
  EXPECT_EQ(files.status("d")->type, FileType::kDirectory);
  EXPECT_FALSE(files.status("d/c"));
  EXPECT_EQ(read_file(files, "d/b"), "bytes");
  const auto file = files.open("d/b");
  std::vector<std::uint8_t> out(10);
  EXPECT_EQ(file->read_at(2, out), 3u);
  EXPECT_THROW(files.create("d/a"), IoError);
  EXPECT_THROW(files.create("none/a"), IoError);
  EXPECT_THROW(files.open("d"), IoError);
  EXPECT_THROW(files.make_directory("d"), IoError);
  EXPECT_THROW(files.remove("d"), IoError);
  EXPECT_THROW(files.list("d/a"), IoError);
  EXPECT_EQ(files.resolve("./x/../y"), "/job/y");
  files.rename("d", "e");
  EXPECT_EQ(files.get("e/b"), "bytes");
  EXPECT_FALSE(files.status("d"));
  files.rename("e/a", "e/b");
  EXPECT_EQ(files.get("e/b"), "");
  EXPECT_THROW(files.rename("e/b", "/job"), IoError);
  files.make_directory("f");
  EXPECT_FALSE(files.rename_to_new("e", "f"));
  EXPECT_TRUE(files.exchange("e", "f"));
  EXPECT_EQ(files.get("f/b"), "");
  EXPECT_THROW(files.exchange("e", "none"), IoError);
  files.set_can_exchange(false);
  EXPECT_FALSE(files.exchange("e", "f"));
  EXPECT_EQ(files.get("f/b"), "");
  files.remove_tree("f");
  files.remove_tree("e");
  files.remove_tree("e");
  EXPECT_EQ(files.all_paths(), std::vector<std::string>{"/job"});
}

TEST(FaultyFileSystem, LocksOnceAtATime) {
  FaultyFileSystem files;
  EXPECT_THROW(files.try_lock("LOCK"), IoError);
  auto held = files.create_lock("LOCK", "content");
  EXPECT_TRUE(held);
  EXPECT_EQ(files.get("LOCK"), "content");
  EXPECT_FALSE(files.try_lock("LOCK"));
  EXPECT_FALSE(files.create_lock("LOCK", "other"));
  held.reset();
  EXPECT_FALSE(files.create_lock("LOCK", "other"));
  EXPECT_TRUE(files.try_lock("LOCK"));
  held = files.try_lock("LOCK");
  files.restart(Crash::kProcess);
  EXPECT_TRUE(files.try_lock("LOCK")) << "the process that held it is gone";
}

TEST(FaultyFileSystem, KeepsAllThatWasDoneWhereTheProcessEnds) {
  FaultyFileSystem files;
  write(files, "a", "bytes");
  files.restart(Crash::kProcess);
  EXPECT_EQ(files.get("a"), "bytes");
}

TEST(FaultyFileSystem, ForgetsWhatWasNotSyncedWhereThePowerGoes) {
  FaultyFileSystem files;
  write(files, "no-name", "x");
  {
    const auto file = files.create("synced");
    file->append(bytes_of("one"));
    file->sync();
    file->append(bytes_of("two"));
  }
  write(files, "no-content", "x");
  files.sync_directory("/job");
  write(files, "later", "x");
  files.remove("synced");
  files.restart(Crash::kPower);
  EXPECT_EQ(files.all_paths(), (std::vector<std::string>{"/job", "/job/no-content", "/job/no-name", "/job/synced"}));
  EXPECT_EQ(files.get("synced"), "one");
  EXPECT_EQ(files.get("no-content"), "");
}

TEST(FaultyFileSystem, KeepsARenameOnlyIfTheDirectoryWasSynced) {
  for (const bool sync : {false, true}) {
    FaultyFileSystem files;
    files.put("new", "new");
    files.put("old", "old");
    files.rename("new", "old");
    if (sync) files.sync_directory("/job");
    files.restart(Crash::kPower);
    EXPECT_EQ(files.get("old"), sync ? "new" : "old");
    EXPECT_EQ(files.all_paths().size(), sync ? 2u : 3u);
  }
}

TEST(FaultyFileSystem, KeepsTheContentOfRenamedDirectories) {
  FaultyFileSystem files;
  files.make_directory("d");
  files.put("d/a", "kept");
  write(files, "d/b", "name not synced");
  files.rename("d", "e");
  files.sync_directory("/job");
  files.restart(Crash::kPower);
  EXPECT_EQ(files.all_paths(), (std::vector<std::string>{"/job", "/job/e", "/job/e/a"}));
}

TEST(FaultyFileSystem, ForgetsForGoodWhatAFailedSyncDidNotBringToDisk) {
  FaultyFileSystem files;
  const auto file = files.create("a");
  files.sync_directory("/job");
  file->append(bytes_of("x"));
  files.inject({FaultKind::kIoError, 0});
  EXPECT_THROW(file->sync(), IoError);
  file->sync();  // succeeds although the data that failed to sync is lost
  files.restart(Crash::kPower);
  EXPECT_EQ(files.get("a"), "");
}

TEST(FaultyFileSystem, FailsTheNthOperationOnce) {
  FaultyFileSystem files;
  files.inject({FaultKind::kIoError, 1});
  EXPECT_FALSE(files.status("a"));
  EXPECT_THROW(files.status("a"), IoError);
  EXPECT_FALSE(files.status("a"));
  EXPECT_EQ(files.faults_fired(), 1u);
  EXPECT_EQ(files.operations(), 3u);
}

TEST(FaultyFileSystem, FailsForGoodIfToldTo) {
  FaultyFileSystem files;
  files.inject({FaultKind::kTooManyFiles, 1, true});
  files.create("a");
  files.status("a");
  EXPECT_THROW(files.create("b"), IoError);
  EXPECT_THROW(files.open("a"), IoError);
  EXPECT_EQ(files.faults_fired(), 2u);
}

TEST(FaultyFileSystem, LeavesHalfOfAShortWrite) {
  FaultyFileSystem files;
  const auto file = files.create("a");
  files.inject({FaultKind::kShortWrite, 0});
  EXPECT_THROW(file->append(bytes_of("12345678")), DiskFullError);
  EXPECT_EQ(files.get("a"), "1234");
  EXPECT_EQ(file->size(), 4u);
}

TEST(FaultyFileSystem, GivesLessInAShortRead) {
  FaultyFileSystem files;
  files.put("a", "12345678");
  files.inject({FaultKind::kShortRead, 0});
  std::vector<std::uint8_t> out(8);
  EXPECT_THROW(files.open("a")->read_exactly(0, out), IoError);
}

TEST(FaultyFileSystem, StopsForGoodAtACrash) {
  FaultyFileSystem files;
  const auto file = files.create("a");
  files.inject({FaultKind::kCrash, 1});
  file->append(bytes_of("1234"));
  EXPECT_THROW(file->append(bytes_of("5678")), CrashError);
  EXPECT_TRUE(files.crashed());
  EXPECT_THROW(files.status("a"), CrashError);
  EXPECT_THROW(file->close(), CrashError);
  files.restart(Crash::kProcess);
  EXPECT_EQ(files.get("a"), "123456") << "half of the last append got through";
  EXPECT_THROW(file->close(), std::logic_error);
}

}  // namespace
}  // namespace spillway
