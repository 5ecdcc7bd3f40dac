#include "io/scratch/owned_directory.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::Crash;
using testing::CrashError;
using testing::FaultKind;
using testing::FaultyFileSystem;
using testing::ScratchDirectory;
namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

class OwnedDirectories : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& content) {
    fs::create_directories(fs::path(scratch_ / name).parent_path());
    std::ofstream(scratch_ / name) << content;
  }
  std::unique_ptr<OwnedDirectory> take(const std::string& name) {
    return OwnedDirectory::take(files_, scratch_ / name);
  }
  std::unique_ptr<OwnedDirectory> make_scratch() { return OwnedDirectory::make_scratch(files_, scratch_.path()); }
  // Makes a directory that looks as a killed job's: with a lock that nobody holds.
  void leave(const std::string& name) {
    const auto owned = take("left");
    fs::rename(scratch_ / "left", scratch_ / name);
  }
  // Every file and link with what it holds, to see that nothing was touched.
  std::map<std::string, std::string> all() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(scratch_.path())) {
      std::string& content = found[entry.path().lexically_relative(scratch_.path())];
      if (entry.is_symlink()) {
        content = "-> " + fs::read_symlink(entry.path()).string();
      } else if (entry.is_regular_file()) {
        std::ifstream file(entry.path());
        content.assign(std::istreambuf_iterator<char>(file), {});
      }
    }
    return found;
  }
  // Expects that the directory is refused, with these words, and that nothing changes.
  void expect_refused(const std::string& name, const Paths& words) {
    const auto before = all();
    try {
      take(name);
      ADD_FAILURE() << name << " was taken";
    } catch (const UsageError& error) {
      for (const std::string& word : words) {
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      }
    }
    EXPECT_EQ(all(), before);
  }

  ScratchDirectory scratch_;
  FileSystem& files_ = posix_file_system();
};

TEST_F(OwnedDirectories, AreMadePrivateAndGoWithTheFilesOfJobs) {
  const auto owned = take("work");
  EXPECT_EQ(owned->path(), scratch_ / "work");
  struct stat found {};
  ASSERT_EQ(stat((scratch_ / "work").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0700U);
  put("work/spillway-run-3", "");
  put("work/index/manifest", "");
  put("work/index/postings", "");
  put("work/replaced/manifest", "");
  put("work/.spillway-Ab3xYz/spillway-strings-1", "");
  owned->remove();
  EXPECT_TRUE(all().empty());
}

TEST_F(OwnedDirectories, KeepWhatNoJobMadeWhenTheyAreRemoved) {
  put("outside/manifest", "kept");
  const auto owned = take("work");
  put("work/spillway-run-3", "");
  put("work/index/notes", "kept");
  put("work/index/postings", "");
  fs::create_symlink(scratch_ / "outside", scratch_ / "work/replaced");
  fs::create_symlink(scratch_ / "outside/manifest", scratch_ / "work/spillway-link");
  owned->remove();
  auto left = all();
  EXPECT_EQ(left["work/index/notes"], "kept");
  EXPECT_EQ(left["outside/manifest"], "kept");
  EXPECT_TRUE(left.contains("work/replaced"));
  EXPECT_TRUE(left.contains("work/spillway-link"));
  EXPECT_FALSE(left.contains("work/index/postings"));
  EXPECT_FALSE(left.contains("work/spillway-run-3"));
  expect_refused("work", {"index/notes", "replaced", "spillway-link"});
}

// Somebody moved the directory and put another one there: neither belongs to the job any more.
TEST_F(OwnedDirectories, AreLeftAloneOnceTheyAreMoved) {
  const auto owned = take("work");
  put("work/spillway-run-0", "of the job");
  fs::rename(scratch_ / "work", scratch_ / "moved");
  put("work/LOCK", "precious");
  put("work/spillway-notes", "precious");
  const auto before = all();
  owned->remove();
  EXPECT_EQ(all(), before);
}

TEST_F(OwnedDirectories, HoldFilesOfIndexesOnlyInDirectoriesForIndexes) {
  take("work");  // and dies
  put("work/index/text", "of a job");
  put("work/text", "precious");
  put("work/index/spillway-notes", "precious");
  expect_refused("work", {"index/spillway-notes, text"});
}

TEST_F(OwnedDirectories, AreTakenFromAKilledJobAsTheyAre) {
  leave("work");
  put("work/spillway-run-3", "x");
  const auto owned = take("work");
  EXPECT_EQ(all()["work/spillway-run-3"], "x");
  expect_refused("work", {"is locked"});
}

TEST_F(OwnedDirectories, AreTakenIfTheyAreEmpty) {
  fs::create_directory(scratch_ / "work");
  take("work")->remove();
  EXPECT_TRUE(all().empty());
}

TEST_F(OwnedDirectories, AreRefusedWithTheFilesOfOtherPrograms) {
  put("leveldb/LOCK", "");
  put("leveldb/CURRENT", "MANIFEST-000001\n");
  put("leveldb/000003.log", "x");
  expect_refused("leveldb", {"leveldb is not a work directory", "000003.log, CURRENT, LOCK"});
  put("empty-lock/LOCK", "");
  expect_refused("empty-lock", {"is not a work directory"});
  put("other-lock/LOCK", "Spillway work directory, format 2\n");
  expect_refused("other-lock", {"no LOCK of this version"});
  put("no-lock/thesis", "x");
  expect_refused("no-lock", {"thesis"});
  put("file", "x");
  expect_refused("file", {"no directory"});
}

TEST_F(OwnedDirectories, AreRefusedWithALockThatIsNoFile) {
  leave("real");
  fs::create_directories(scratch_ / "linked");
  fs::create_symlink(scratch_ / "real/LOCK", scratch_ / "linked/LOCK");
  expect_refused("linked", {"is not a work directory"});
  fs::create_directories(scratch_ / "to-nothing");
  fs::create_symlink(scratch_ / "nothing", scratch_ / "to-nothing/LOCK");
  expect_refused("to-nothing", {"is not a work directory"});
  fs::create_directories(scratch_ / "fifo");
  ASSERT_EQ(mkfifo((scratch_ / "fifo/LOCK").c_str(), 0600), 0);
  expect_refused("fifo", {"is not a work directory"});
}

TEST_F(OwnedDirectories, AreRefusedIfTheyAreLinks) {
  leave("real");
  fs::create_directory_symlink(scratch_ / "real", scratch_ / "link");
  expect_refused("link", {"it is a link"});
  fs::create_directory_symlink(scratch_ / "nothing", scratch_ / "dangling");
  expect_refused("dangling", {"it is a link"});
}

TEST_F(OwnedDirectories, AreRefusedWithAForeignFileAmongThoseOfAKilledJob) {
  leave("work");
  put("work/spillway-run-3", "x");
  put("work/index/notes.txt", "x");
  expect_refused("work", {"files that no job made: index/notes.txt"});
}

TEST_F(OwnedDirectories, ForScratchHaveNewNamesAndRemoveThoseOfKilledJobs) {
  leave(".spillway-killed");
  put(".spillway-killed/spillway-run-3", "x");
  fs::create_directory(scratch_ / ".spillway-empty1");
  const auto first = make_scratch(), second = make_scratch();
  EXPECT_NE(first->path(), second->path());
  EXPECT_FALSE(fs::exists(scratch_ / ".spillway-killed"));
  EXPECT_FALSE(fs::exists(scratch_ / ".spillway-empty1"));
  for (const auto& owned : {first.get(), second.get()}) {
    EXPECT_TRUE(fs::exists(owned->path() + "/LOCK")) << "a live job's";
    owned->remove();
  }
  EXPECT_TRUE(all().empty());
}

TEST_F(OwnedDirectories, ForScratchLeaveForeignOnesAlone) {
  put(".spillway-AAAAAA/LOCK", "");
  put(".spillway-BBBBBB/spillway-run-3", "x");
  leave(".spillway-CCCCCC");
  put(".spillway-CCCCCC/notes", "x");
  leave(".spillway-longer-name");
  leave("other-name");
  put("outside/LOCK", "x");
  fs::create_directory_symlink(scratch_ / "outside", scratch_ / ".spillway-DDDDDD");
  put(".spillway-EEEEEE", "a file");
  const auto before = all();
  make_scratch()->remove();
  EXPECT_EQ(all(), before);
}

// Every operation fails, or is the last of its process; the next job finds what is left.
TEST(OwnedDirectoryFaults, LeaveWhatTheNextJobRemoves) {
  for (const auto& [kind, crash] : {std::pair{FaultKind::kIoError, Crash::kProcess},
                                    {FaultKind::kNoSpace, Crash::kProcess},
                                    {FaultKind::kTooManyFiles, Crash::kProcess},
                                    {FaultKind::kCrash, Crash::kProcess},
                                    {FaultKind::kCrash, Crash::kPower}}) {
    std::uint64_t fired = 0;
    for (std::uint64_t n = 0;; ++n) {
      FaultyFileSystem files;
      files.inject({kind, n, false});
      try {
        const auto work = OwnedDirectory::take(files, "/job/work");
        const auto scratch = OwnedDirectory::make_scratch(files, "/job");
        files.create(scratch->path() + "/spillway-run-0");
        scratch->remove();
        work->remove();
      } catch (const Error&) {
      } catch (const CrashError&) {
      }
      if (files.faults_fired() == 0) break;
      ++fired;
      files.restart(crash);
      OwnedDirectory::take(files, "/job/work")->remove();
      OwnedDirectory::make_scratch(files, "/job")->remove();
      EXPECT_EQ(files.all_paths(), Paths{"/job"}) << n;
    }
    EXPECT_GT(fired, 3U);
  }
}

// No other job may follow that would remove a directory that this one could not take.
TEST(OwnedDirectoryFaults, LeaveNothingWhereMemoryEnds) {
  for (const bool is_scratch : {false, true}) {
    std::uint64_t fired = 0;
    for (std::uint64_t n = 0;; ++n) {
      FaultyFileSystem files;
      files.inject({FaultKind::kOutOfMemory, n, false});
      try {
        is_scratch ? OwnedDirectory::make_scratch(files, "/job") : OwnedDirectory::take(files, "/job/work");
      } catch (const std::bad_alloc&) {
        EXPECT_EQ(files.all_paths(), Paths{"/job"}) << is_scratch << ", " << n;
      }
      if (files.faults_fired() == 0) break;
      ++fired;
    }
    EXPECT_GT(fired, 2U);
  }
}

}  // namespace
}  // namespace spillway
