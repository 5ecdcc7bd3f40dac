// The files of an index are truncated while a command reads them: it ends with an error that names the file, or gives
// what it would have given. No command ends by SIGBUS or leaves anything.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "tests/end_to_end/merge_parts.hpp"
#include "tests/support/hooked_file_system.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/running_program.hpp"
#include "tools/cli/command_line.hpp"
#include "tools/commands/commands.hpp"

namespace spillway {
namespace {

using testing::bytes_of;
using testing::HookedFileSystem;
using testing::ProgramResult;
using testing::run_spillway;
using testing::RunningProgram;
namespace fs = std::filesystem;

constexpr std::string_view kLastOpened = kSectionNames[kSectionCount - 1];

class TruncatedIndexes : public testing::MergeParts {
 protected:
  void SetUp() override {
    ContentOptions options;
    options.positions = true;
    options.store = StorePolicy::kText;
    testing::RandomDocuments shape;
    shape.count = 1000;
    shape.words = 60;
    index_ = index("index", testing::jsonl_of(testing::random_corpus(1, shape, true)), options);
    other_ = index("other", testing::jsonl_of(testing::random_corpus(2, shape, true)), options);
    fs::copy(index_, scratch_ / "whole");
    const IndexReader reader(posix_file_system(), index_);
    for (TermTableCursor terms(reader, ""); terms.next();) {
      if (terms.entry().document_count > 128) frequent_.push_back(terms.entry().term);
    }
    id_ = reader.document_id(700);
  }

  std::string path_of(std::size_t section) const { return index_ + "/" + std::string(kSectionNames[section]); }
  void restore(std::size_t section) const {
    const std::string name(kSectionNames[section]);
    fs::copy_file(scratch_ / ("whole/" + name), path_of(section), fs::copy_options::overwrite_existing);
  }

  // Runs a command in this process. `before_open` sees each file.
  ProgramResult run(const std::vector<std::string>& words, std::function<void(const std::string&)> before_open) {
    HookedFileSystem files(posix_file_system(), std::move(before_open));
    const std::string path = scratch_ / "output";
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ProgramResult result;
    std::atomic<int> signal_number{0};
    ::testing::internal::CaptureStderr();
    {
      Output out(descriptor, "the output");
      Session session{files, out, signal_number};
      result.exit_code = run_command_line(words, all_commands(), session);
    }
    result.err = ::testing::internal::GetCapturedStderr();
    close(descriptor);
    result.out = testing::read_bytes(path);
    return result;
  }

  // Runs a command that opens the index `opens` times, and truncates a file when all are mapped for the last time.
  ProgramResult run_and_cut(const std::vector<std::string>& words, std::size_t section, double part, int opens) {
    const auto size = static_cast<std::uint64_t>(static_cast<double>(fs::file_size(path_of(section))) * part);
    const std::string last_file = (opens == 1 ? index_ : other_) + "/" + std::string(kLastOpened);
    const ProgramResult result = run(words, [&, left = opens](const std::string& path) mutable {
      if (path == last_file && --left == 0) fs::resize_file(path_of(section), size);
    });
    EXPECT_EQ(fs::file_size(path_of(section)), size) << "it was not truncated";
    restore(section);
    return result;
  }

  // Returns whether the command was refused.
  bool expect_right_or_refused(const ProgramResult& result, const ProgramResult& expected, std::size_t section,
                               int refusal) {
    if (result.exit_code == 0) {
      EXPECT_EQ(result.out, expected.out);
      return false;
    }
    EXPECT_EQ(result.exit_code, refusal) << result.err;
    EXPECT_NE(result.err.find(path_of(section) + " at byte "), std::string::npos) << result.err;
    return true;
  }

  std::string index_, other_, id_;
  std::vector<std::string> frequent_;
};

TEST_F(TruncatedIndexes, AreRefusedByEveryCommandThatNeedsTheBytes) {
  const std::string queries = scratch_ / "queries";
  testing::write_bytes(queries, frequent_[0] + " " + frequent_[1] + "\n");
  const std::vector<std::vector<std::string>> commands{
      {"search", index_, "--queries", queries, "--format", "json"},
      {"search", index_, "--exhaustive", "\"" + frequent_[0] + " " + frequent_[1] + "\"", frequent_[2]},
      {"doc", index_, id_, "--json", "--text"},
      {"dump", index_, "terms"},
      {"dump", index_, "postings", "--positions"},
      {"dump", index_, "documents", "--format", "json"},
      {"stats", index_},
      {"verify", index_}};
  for (const auto& words : commands) {
    const ProgramResult expected = run(words, [](const std::string&) {});
    ASSERT_EQ(expected.exit_code, 0) << expected.err;
    std::size_t refused = 0;
    for (std::size_t section = 0; section < kSectionCount; ++section) {
      for (const double part : {0.0, 0.5}) {
        SCOPED_TRACE(words[0] + " " + words[2 % words.size()] + " without the end of " + path_of(section));
        const ProgramResult result = run_and_cut(words, section, part, 1);
        refused += expect_right_or_refused(result, expected, section, words[0] == "verify" ? 1 : 5) ? 1 : 0;
        EXPECT_TRUE(expected.out.starts_with(result.out) || words[0] == "verify") << "it wrote something else";
      }
    }
    EXPECT_GE(refused, words[0] == "stats" ? 2u : words[0] == "dump" ? 4u : 20u) << words[0];
  }
}

TEST_F(TruncatedIndexes, AreRefusedByMergesWhichLeaveNothing) {
  const std::string output = scratch_ / "merged";
  const std::vector<std::string> words{"merge", index_, other_, "-o", output, "--quiet", "--threads", "2"};
  ProgramResult expected = run(words, [](const std::string&) {});
  ASSERT_EQ(expected.exit_code, 0) << expected.err;
  const auto merged = bytes_of(output);
  fs::remove_all(output);
  std::size_t refused = 0;
  for (std::size_t section = 0; section < kSectionCount; ++section) {
    for (const double part : {0.0, 0.5}) {
      SCOPED_TRACE("without the end of " + path_of(section));
      const ProgramResult result = run_and_cut(words, section, part, 2);
      refused += expect_right_or_refused(result, expected, section, 5) ? 1 : 0;
      if (result.exit_code == 0) {
        EXPECT_TRUE(testing::same_index(merged, output));
        fs::remove_all(output);
      }
      EXPECT_FALSE(fs::exists(output));
      EXPECT_FALSE(fs::exists(output + ".work"));
    }
  }
  EXPECT_GE(refused, 20u);
}

// Runs are read into buffers. Each is cut when the next one has been opened.
TEST_F(TruncatedIndexes, AreNotMadeFromRunsThatWereTruncated) {
  testing::RandomDocuments shape;
  shape.count = 500;
  shape.words = 60;
  testing::write_bytes(scratch_ / "in.jsonl", testing::jsonl_of(testing::random_corpus(3, shape, true)));
  IndexOptions options = testing::index_job({scratch_ / "in.jsonl"}, scratch_ / "made");
  options.block_bytes = 1;
  options.record_sorter = "cpu-radix";  // which keeps no blocks in memory
  options.memory_bytes = testing::tight_memory(60);
  fs::create_directory(scratch_ / "runs");
  options.temp_directories = {scratch_ / "runs"};
  std::size_t cut = 0;
  std::string opened_before;
  HookedFileSystem files(posix_file_system(), [&](const std::string& path) {
    if (!path.starts_with(scratch_ / "runs")) return;
    if (!opened_before.empty() && fs::exists(opened_before)) {
      fs::resize_file(opened_before, fs::file_size(opened_before) / 2);
      ++cut;
    }
    opened_before = path;
  });
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const auto ignore = [](const std::string&) {};
  IndexReport report;
  try {
    run_index(options, {files, signal_number, progress, ignore, ignore}, report);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ExitCode::kUsageOrIo || error.code() == ExitCode::kCorrupt) << error.what();
    EXPECT_NE(std::string(error.what()).find(scratch_ / "runs"), std::string::npos) << error.what();
  }
  EXPECT_GT(cut, 0u);
  EXPECT_FALSE(fs::exists(options.output));
  EXPECT_FALSE(fs::exists(options.output + ".work"));
  EXPECT_TRUE(fs::is_empty(scratch_ / "runs"));
}

TEST_F(TruncatedIndexes, EndASearchThatWaitsForQueriesWithAnError) {
  const std::string errors = scratch_ / "errors";
  const auto maps = [&](const RunningProgram& program) {
    std::ifstream file("/proc/" + std::to_string(program.id()) + "/maps");
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  for (const std::string_view name : {"terms", "postings", "bounds", "lengths", "ids", "text"}) {
    const std::string path = index_ + "/" + std::string(name);
    RunningProgram program({testing::program_path(), "search", index_, "--queries", "-"}, errors);
    while (!program.has_ended() && maps(program).find("index/dropped") == std::string::npos) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    fs::resize_file(path, 0);
    program.write_input(frequent_[0] + "\n");
    program.close_input();
    EXPECT_EQ(program.wait().exit_code, 5);
    EXPECT_NE(testing::read_bytes(errors).find(path + " at byte 0: "), std::string::npos)
        << testing::read_bytes(errors);
    restore(
        static_cast<std::size_t>(std::find(kSectionNames.begin(), kSectionNames.end(), name) - kSectionNames.begin()));
  }
}

// The output is a pipe, which takes less than the whole.
TEST_F(TruncatedIndexes, EndADumpInItsMiddleWithAnError) {
  const std::vector<std::string> words{"dump", index_, "postings", "--positions"};
  const std::string whole = run_spillway(words).out, pipe = scratch_ / "pipe";
  ASSERT_GT(whole.size(), 400000u);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  ProgramResult result;
  std::jthread program([&] { result = run_spillway(words, {.out_path = pipe}); });
  std::ifstream out(pipe, std::ios::binary);
  std::string first(100, ' ');
  out.read(first.data(), 100);
  fs::resize_file(index_ + "/postings", 0);
  const std::string rest(std::istreambuf_iterator<char>(out), {});
  program.join();
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_NE(result.err.find(index_ + "/postings at byte 0: "), std::string::npos) << result.err;
  EXPECT_TRUE(whole.starts_with(first + rest)) << "it wrote something else";
}

}  // namespace
}  // namespace spillway
