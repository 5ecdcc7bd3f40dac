#include "tools/cli/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "io/file/posix_file_system.hpp"
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
