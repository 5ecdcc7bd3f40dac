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

TEST(WriteFileDurably, SurvivesALossOfPower) {
  FaultyFileSystem files;
  write_file_durably(files, "/job/state", "one");
  files.restart(Crash::kPower);
  EXPECT_EQ(files.get("/job/state"), "one");
  write_file_durably(files, "/job/state", "two");
  files.restart(Crash::kPower);
  EXPECT_EQ(files.get("/job/state"), "two");
  EXPECT_EQ(files.all_paths(), (std::vector<std::string>{"/job", "/job/state"}));
}

TEST(WriteFileDurably, TakesAPathWithoutADirectory) {
  FaultyFileSystem files;
  write_file_durably(files, "state", "x");
  files.restart(Crash::kPower);
  EXPECT_EQ(files.get("/job/state"), "x");
  write_file_durably(files, "/top", "y");
  files.restart(Crash::kPower);
  EXPECT_EQ(files.get("/top"), "y");
}

TEST(WriteFileDurably, ReplacesWhatAKilledRunLeft) {
  FaultyFileSystem files;
  files.put("/job/state.tmp", "half");
  write_file_durably(files, "/job/state", "whole");
  EXPECT_EQ(files.get("/job/state"), "whole");
  EXPECT_EQ(files.all_paths().size(), 2u);
}

TEST(WriteFileDurably, KeepsTheOldFileWhereAnyOperationFails) {
  for (const FaultKind kind :
       {FaultKind::kIoError, FaultKind::kNoSpace, FaultKind::kTooManyFiles, FaultKind::kShortWrite}) {
    for (const bool sticky : {false, true}) {
      std::uint64_t fired = 0;
      for (std::uint64_t n = 0;; ++n) {
        FaultyFileSystem files;
        files.put("/job/state", "old");
        files.inject({kind, n, sticky});
        bool failed = false;
        try {
          write_file_durably(files, "/job/state", "new");
        } catch (const IoError&) {
          failed = true;
        }
        if (files.faults_fired() == 0) {
          EXPECT_FALSE(failed);
          break;
        }
        fired += files.faults_fired();
        EXPECT_TRUE(failed) << n;
        const std::string found = files.get("/job/state");
        EXPECT_TRUE(found == "old" || found == "new") << found;
        files.inject({});
        write_file_durably(files, "/job/state", "newer");
        files.restart(Crash::kPower);
        EXPECT_EQ(files.get("/job/state"), "newer");
      }
      EXPECT_GT(fired, 0u);
    }
  }
}

TEST(WriteFileDurably, IsAllOrNothingAtEveryCrashPoint) {
  for (const Crash crash : {Crash::kProcess, Crash::kPower}) {
    bool saw_old = false, saw_new = false;
    for (std::uint64_t n = 0;; ++n) {
      FaultyFileSystem files;
      files.put("/job/state", "old");
      files.inject({FaultKind::kCrash, n});
      bool finished = false;
      try {
        write_file_durably(files, "/job/state", "new");
        finished = true;
      } catch (const CrashError&) {
      }
      const bool fired = files.faults_fired() > 0;
      EXPECT_EQ(finished, !fired);
      files.restart(crash);
      const std::string found = files.get("/job/state");
      EXPECT_TRUE(found == "old" || (found == "new")) << found;
      EXPECT_TRUE(!finished || found == "new");
      (found == "old" ? saw_old : saw_new) = true;
      write_file_durably(files, "/job/state", "newer");
      EXPECT_EQ(files.get("/job/state"), "newer");
      if (!fired) break;
    }
    EXPECT_TRUE(saw_old && saw_new);
  }
}

}  // namespace
}  // namespace spillway
