// Writes and reads a run with every operation of the file system failing in turn, once and permanently, and with a
// crash at every operation: the error is reported as what it is, and leftovers are never taken for a complete run.
#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "io/file/system_error.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/sample_run.hpp"

namespace spillway {
namespace {

using namespace testing;

SampleRun run() {
  SampleRunOptions options;
  options.documents = 200;
  options.terms = 300;
  return make_sample_run(21, options);
}

const SampleWriting kWriting{{}, kMinRunBlockBytes};

void write_run(FileSystem& files) {
  const auto file = files.create("run");
  write_sample_run(run(), kWriting, *file);
  file->sync();
  file->close();
  files.sync_directory("/job");
}

bool reads_right(FileSystem& files) { return read_sample_run(*files.open("run")) == run(); }

TEST(RunFaults, EveryFailureWhileWritingComesOut) {
  for (const FaultKind kind :
       {FaultKind::kIoError, FaultKind::kNoSpace, FaultKind::kTooManyFiles, FaultKind::kShortWrite}) {
    for (const bool sticky : {false, true}) {
      std::uint64_t fired = 0;
      for (std::uint64_t n = 0;; ++n) {
        FaultyFileSystem files;
        files.inject({kind, n, sticky});
        bool failed = false;
        try {
          write_run(files);
        } catch (const IoError&) {
          failed = true;
        }
        EXPECT_EQ(failed, files.faults_fired() > 0) << n;
        if (files.faults_fired() == 0) {
          files.inject({});
          EXPECT_TRUE(reads_right(files));
          break;
        }
        fired += files.faults_fired();
      }
      EXPECT_GT(fired, 0u);
    }
  }
}

TEST(RunFaults, EveryFailureWhileReadingComesOut) {
  for (const FaultKind kind : {FaultKind::kIoError, FaultKind::kTooManyFiles, FaultKind::kShortRead}) {
    FaultyFileSystem files;
    write_run(files);
    std::uint64_t fired = 0;
    for (std::uint64_t n = 0;; ++n) {
      files.inject({kind, n});
      bool failed = false;
      try {
        EXPECT_TRUE(reads_right(files));
      } catch (const IoError&) {
        failed = true;
      }
      EXPECT_EQ(failed, files.faults_fired() > 0) << n;
      if (files.faults_fired() == 0) break;
      fired += files.faults_fired();
    }
    EXPECT_GT(fired, kind == FaultKind::kTooManyFiles ? 0u : 10u);
  }
}

TEST(RunFaults, WhatACrashLeavesIsARunOnlyIfItIsWhole) {
  for (const Crash crash : {Crash::kProcess, Crash::kPower}) {
    std::size_t whole = 0, torn = 0;
    for (std::uint64_t n = 0;; ++n) {
      FaultyFileSystem files;
      files.inject({FaultKind::kCrash, n});
      try {
        write_run(files);
      } catch (const CrashError&) {
      }
      const bool fired = files.faults_fired() > 0;
      files.restart(crash);
      if (!files.status("run")) {
        EXPECT_TRUE(fired);
        continue;
      }
      try {
        EXPECT_TRUE(reads_right(files));
        ++whole;
      } catch (const FormatError&) {
        EXPECT_TRUE(fired);
        ++torn;
      }
      if (!fired) break;
    }
    EXPECT_GT(whole, 0u);
    EXPECT_EQ(torn > 0, crash == Crash::kProcess) << "without a synced directory there is no file";
  }
}

}  // namespace
}  // namespace spillway
