#include "io/scratch/temp_space.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/file/system_error.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using namespace testing;

std::vector<std::uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

std::string all_of(const ReadableFile& file) {
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read_exactly(0, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
  return text;
}

TEST(TempSpace, GivesBackWhatWasWritten) {
  const ScratchDirectory scratch;
  TempSpace space(posix_file_system(), {scratch.path()}, "", 0);
  const auto file = space.create("run");
  file->writer().append(bytes_of("scratch "));
  file->writer().append(bytes_of("bytes"));
  EXPECT_EQ(all_of(file->finish()), "scratch bytes");
  file->close_reader();
  EXPECT_EQ(all_of(file->reader()), "scratch bytes");
}

using Paths = std::vector<std::string>;

TEST(TempSpace, RemovesFilesAndDirectories) {
  FaultyFileSystem files;
  files.make_directory("/job/a");
  {
    TempSpace space(files, {"/job/a"}, "", 0);
    {
      const auto file = space.create("run");
      EXPECT_EQ(files.list("/job/a"), Paths{".spillway-000001"});
      EXPECT_EQ(files.list("/job/a/.spillway-000001"), (Paths{"LOCK", "spillway-run-0"}));
    }
    EXPECT_EQ(files.list("/job/a/.spillway-000001"), Paths{"LOCK"});
    const auto unfinished = space.create("run");
  }
  EXPECT_EQ(files.all_paths(), (Paths{"/job", "/job/a"}));
}

TEST(TempSpace, UsesADirectoryOfItsCallerIfNoneIsShared) {
  FaultyFileSystem files;
  files.put("/job/other", "");
  {
    TempSpace space(files, {}, "/job", 0);
    const auto file = space.create("run");
    EXPECT_EQ(files.list("/job"), (Paths{"other", "spillway-run-0"}));
  }
  EXPECT_EQ(files.all_paths(), (Paths{"/job", "/job/other"}));
}

TEST(TempSpace, OfTwoJobsAtOnceLeaveEachOtherAlone) {
  const ScratchDirectory scratch;
  TempSpace first(posix_file_system(), {scratch.path()}, "", 0);
  const auto file = first.create("run");
  file->writer().append(bytes_of("of the first"));
  {
    TempSpace second(posix_file_system(), {scratch.path()}, "", 0);
    const auto other = second.create("run");
    other->writer().append(bytes_of("of the second"));
    EXPECT_EQ(all_of(other->finish()), "of the second");
    EXPECT_EQ(all_of(file->finish()), "of the first");
    file->close_reader();
  }
  EXPECT_EQ(all_of(file->reader()), "of the first");
}

TEST(TempSpace, UsesItsDirectoriesInTurn) {
  FaultyFileSystem files;
  files.make_directory("/job/a");
  files.make_directory("/job/b");
  TempSpace space(files, {"/job/a", "b", "/job/a/"}, "", 0);
  std::vector<std::unique_ptr<TempFile>> made;
  made.reserve(6);
  for (int i = 0; i < 6; ++i) made.push_back(space.create("run"));
  EXPECT_EQ(files.list("/job/a/.spillway-000001").size(), 1 + 3u);
  EXPECT_EQ(files.list("/job/b/.spillway-000002").size(), 1 + 3u);
}

TEST(TempSpace, CountsBytesInUsePeakAndEver) {
  FaultyFileSystem files;
  TempSpace space(files, {"/job"}, "", 0);
  auto a = space.create("run");
  a->writer().append(bytes_of("12345"));
  auto b = space.create("run");
  b->writer().append(bytes_of("123"));
  EXPECT_EQ(space.used_bytes(), 8u);
  a.reset();
  EXPECT_EQ(space.used_bytes(), 3u);
  b->writer().append(bytes_of("4"));
  EXPECT_EQ(space.used_bytes(), 4u);
  EXPECT_EQ(space.peak_bytes(), 8u);
  EXPECT_EQ(space.written_bytes(), 9u);
}

TEST(TempSpace, StopsAtItsLimit) {
  FaultyFileSystem files;
  TempSpace space(files, {"/job"}, "", 10);
  auto a = space.create("run");
  a->writer().append(bytes_of("1234567"));
  auto b = space.create("run");
  try {
    b->writer().append(bytes_of("1234"));
    FAIL();
  } catch (const BudgetError& error) {
    EXPECT_NE(std::string(error.what()).find("--temp-limit at least 11"), std::string::npos) << error.what();
  }
  EXPECT_EQ(b->writer().size(), 0u) << "nothing was written";
  b->writer().append(bytes_of("123"));
  a.reset();
  b->writer().append(bytes_of("1234567"));
  EXPECT_EQ(space.used_bytes(), 10u);
  EXPECT_THROW(space.charge(~std::uint64_t{0}), BudgetError);
}

TEST(TempSpace, NamesDirectoryAndOptionWhereTheDiskIsFull) {
  FaultyFileSystem files;
  TempSpace space(files, {"/job"}, "", 0);
  const auto file = space.create("run");
  files.inject({FaultKind::kNoSpace, 0});
  try {
    file->writer().append(bytes_of("x"));
    FAIL();
  } catch (const DiskFullError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("/job/.spillway-"), std::string::npos) << message;
    EXPECT_NE(message.find("--temp-dir"), std::string::npos) << message;
  }
}

TEST(TempSpace, RefusesDirectoriesThatAreNotThere) {
  FaultyFileSystem files;
  files.put("/job/file", "");
  EXPECT_THROW(TempSpace(files, {"/job/none"}, "", 0), UsageError);
  EXPECT_THROW(TempSpace(files, {"/job", "/job/file"}, "", 0), UsageError);
  EXPECT_EQ(files.all_paths(), (Paths{"/job", "/job/file"}));
}

TEST(TempSpace, IsSharedByThreads) {
  const ScratchDirectory scratch;
  TempSpace space(posix_file_system(), {scratch.path()}, "", 1 << 20);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 50; ++k) {
        const auto file = space.create("run");
        const std::string text(static_cast<std::size_t>(i * 100 + k), static_cast<char>('a' + i));
        file->writer().append(bytes_of(text));
        EXPECT_EQ(all_of(file->finish()), text);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(space.used_bytes(), 0u);
}

TEST(TempSpace, EndsCleanlyWhateverFails) {
  for (const FaultKind kind :
       {FaultKind::kIoError, FaultKind::kNoSpace, FaultKind::kTooManyFiles, FaultKind::kShortWrite}) {
    std::uint64_t fired = 0;
    for (std::uint64_t n = 0;; ++n) {
      FaultyFileSystem files;
      files.inject({kind, n});
      try {
        TempSpace space(files, {"/job"}, "", 0);
        const auto file = space.create("run");
        file->writer().append(bytes_of("x"));
        EXPECT_EQ(all_of(file->finish()), "x");
      } catch (const IoError&) {
      }
      if (files.faults_fired() == 0) break;
      fired += files.faults_fired();
      files.inject({});
      { const TempSpace next(files, {"/job"}, "", 0); }
      EXPECT_EQ(files.all_paths(), std::vector<std::string>{"/job"});
    }
    EXPECT_GT(fired, 0u);
  }
}

}  // namespace
}  // namespace spillway
