#include "tools/cli/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ScratchDirectory;
using IfThere = OutputFile::IfThere;

struct OutputFileTest : ::testing::Test {
  std::string refusal(const std::string& path, IfThere if_there = IfThere::kRefuse) {
    try {
      OutputFile(session, "--json", path, if_there);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(scratch.path()), {}));
  }

  ScratchDirectory scratch;
  Output out{1, "standard output"};
  std::atomic<int> signal_number{0};
  Session session{posix_file_system(), out, signal_number};
};

TEST_F(OutputFileTest, IsThereWholeOnceFinished) {
  {
    OutputFile file(session, "--json", scratch / "report", IfThere::kRefuse);
    file.write("one ");
    file.write("two");
    EXPECT_FALSE(std::filesystem::exists(scratch / "report"));
    file.finish();
  }
  EXPECT_EQ(read_file(session.files, scratch / "report"), "one two");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFileTest, LeavesNothingIfNotFinished) {
  {
    OutputFile file(session, "--json", scratch / "report", IfThere::kRefuse);
    file.write("half");
  }
  EXPECT_EQ(entries(), 0u);
}

TEST_F(OutputFileTest, KeepsWhatItWouldReplaceUntilFinished) {
  std::ofstream(scratch / "report") << "old";
  EXPECT_NE(refusal(scratch / "report").find("exists; --force replaces it"), std::string::npos);
  {
    OutputFile file(session, "--json", scratch / "report", IfThere::kReplace);
    file.write("half");
  }
  EXPECT_EQ(read_file(session.files, scratch / "report"), "old");
  OutputFile file(session, "--json", scratch / "report", IfThere::kReplace);
  file.write("new");
  file.finish();
  EXPECT_EQ(read_file(session.files, scratch / "report"), "new");
}

// Replaces /job/report, which holds "old", by `text`; throws what the file system throws. `file` outlives the throw.
void replace_report(Session& session, std::optional<OutputFile>& file, const char* text) {
  file.emplace(session, "--json", "/job/report", IfThere::kReplace);
  file->write(text);
  file->finish();
}

struct OutputFileFaults : OutputFileTest {
  // Returns whether it came to its end without a fault.
  bool replace(testing::FaultyFileSystem& files, const testing::Fault& fault, testing::Crash crash) {
    files.put("/job/report", "old");
    files.inject(fault);
    Session faulty{files, out, signal_number};
    std::optional<OutputFile> file;
    bool finished = false;
    try {
      replace_report(faulty, file, "new");
      finished = true;
    } catch (const IoError&) {
    } catch (const testing::CrashError&) {
    }
    EXPECT_EQ(finished, files.faults_fired() == 0);
    const bool fired = files.faults_fired() > 0;
    files.inject({});
    if (fault.kind == testing::FaultKind::kCrash) files.restart(crash);
    file.reset();
    return !fired;
  }
  // After the fault another output replaces what there is, and survives a loss of power.
  void replace_again(testing::FaultyFileSystem& files) {
    Session session_after{files, out, signal_number};
    std::optional<OutputFile> file;
    replace_report(session_after, file, "newer");
    files.restart(testing::Crash::kPower);
    EXPECT_EQ(files.get("/job/report"), "newer");
  }
};

TEST_F(OutputFileFaults, LeaveTheOldFileOrTheNewOneWhateverFails) {
  using testing::FaultKind;
  for (const FaultKind kind :
       {FaultKind::kIoError, FaultKind::kNoSpace, FaultKind::kTooManyFiles, FaultKind::kShortWrite}) {
    for (const bool sticky : {false, true}) {
      std::uint64_t n = 0;
      for (bool done = false; !done; ++n) {
        testing::FaultyFileSystem files;
        done = replace(files, {kind, n, sticky}, testing::Crash::kProcess);
        const std::string found = files.get("/job/report");
        EXPECT_TRUE(found == "old" || found == "new") << found;
        EXPECT_TRUE(!done || found == "new");
        replace_again(files);
      }
      EXPECT_GT(n, 1u) << "no fault fired";
    }
  }
}

TEST_F(OutputFileFaults, LeaveTheOldFileOrTheNewOneWhereverTheProcessOrTheMachineStops) {
  for (const testing::Crash crash : {testing::Crash::kProcess, testing::Crash::kPower}) {
    bool saw_old = false, saw_new = false;
    std::uint64_t n = 0;
    for (bool done = false; !done; ++n) {
      testing::FaultyFileSystem files;
      done = replace(files, {testing::FaultKind::kCrash, n}, crash);
      const std::string found = files.get("/job/report");
      EXPECT_TRUE(found == "old" || found == "new") << found;
      EXPECT_TRUE(!done || found == "new");
      (found == "old" ? saw_old : saw_new) = true;
      replace_again(files);
    }
    EXPECT_TRUE(saw_old && saw_new);
  }
}

TEST_F(OutputFileTest, RefusesWhatCannotBeWritten) {
  EXPECT_NE(refusal(scratch.path(), IfThere::kReplace).find("is a directory"), std::string::npos);
  EXPECT_NE(refusal(scratch / "missing/report").find("no such directory"), std::string::npos);
  EXPECT_NE(refusal("").find("names no file"), std::string::npos);
}

TEST_F(OutputFileTest, WritesToDevices) {
  OutputFile file(session, "--json", "/dev/null", IfThere::kRefuse);
  file.write("x");
  file.finish();
  OutputFile full(session, "--json", "/dev/full", IfThere::kRefuse);
  full.write("x");
  EXPECT_THROW(full.finish(), IoError);
}

TEST_F(OutputFileTest, WaitsForAReaderOfAFifoUntilASignalComes) {
  ASSERT_EQ(mkfifo((scratch / "fifo").c_str(), 0600), 0);
  std::optional<OutputFile> file(std::in_place, session, "--json", scratch / "fifo", IfThere::kRefuse);
  std::thread signal([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    signal_number = SIGTERM;
  });
  EXPECT_THROW(file->write("x"), InterruptedError);
  signal.join();
  signal_number = 0;
  std::string found;
  std::thread reader([&] { std::ifstream(scratch / "fifo") >> found; });
  file->write("all");
  file->finish();
  file.reset();
  reader.join();
  EXPECT_EQ(found, "all");
}

}  // namespace
}  // namespace spillway
