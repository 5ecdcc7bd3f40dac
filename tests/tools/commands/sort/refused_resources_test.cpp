// `spillway sort` where the system refuses it room for scratch files, or threads; and where a signal ends it.
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "tests/support/places.hpp"
#include "tests/tools/commands/sort/sort_command.hpp"

namespace spillway {
namespace {

using testing::kMeasuresMemory;
using testing::ProgramResult;
using testing::run_program;
using testing::run_spillway;

class SortWithoutRoom : public testing::SortCommandTest {
 protected:
  static std::string numbers(unsigned count) {
    std::string text;
    for (unsigned i = count; i-- != 0;) text += std::to_string(i * 2654435761U) + "\n";
    return text;
  }
  // Runs the words with an empty file system of 256 KiB at scratch_/disk.
  ProgramResult on_disk(const Words& words) const {
    std::filesystem::create_directories(scratch_ / "disk");
    Words all{"/usr/bin/unshare",
              "--user",
              "--map-root-user",
              "--mount",
              "/bin/sh",
              "-c",
              "mount -t tmpfs -o size=256k none \"$0\" && exec \"$@\"",
              scratch_ / "disk"};
    all.insert(all.end(), words.begin(), words.end());
    return run_program(all);
  }
  static void expect_figures(const std::string& message, std::size_t input_bytes, const std::string& disk) {
    const std::string begin = "scratch files have taken ";
    const std::size_t at = message.find(begin);
    ASSERT_NE(at, std::string::npos) << message;
    EXPECT_GT(std::stoull(message.substr(at + begin.size())), 50'000U) << message;
    EXPECT_NE(message.find("all lines take at most about " + std::to_string(input_bytes) +
                           " (the size of the input) in each pass, and " + disk + " has "),
              std::string::npos)
        << message;
    EXPECT_NE(message.find(" free without them; -T names another directory"), std::string::npos) << message;
  }
};

TEST_F(SortWithoutRoom, TellsHowMuchScratchFilesNeed) {
  const std::string text = numbers(300'000), in = file("in", text);
  for (const Words& more : {Words{in}, Words{"-m", in, in, "--batch-size=2", in}}) {
    Words words{"sort", "-T", scratch_.path(), "--block-bytes=300K", "-o", "/dev/null"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_spillway(words, {.limits = {{RLIMIT_FSIZE, 200'000}}});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("File too large"), std::string::npos) << result.err;
    expect_figures(result.err, text.size() * (more.size() == 1 ? 1 : 3), scratch_.path());
  }
}

TEST_F(SortWithoutRoom, TellsHowFullADiskIs) {
  if (on_disk({"/bin/true"}).exit_code != 0) GTEST_SKIP() << "no file system can be mounted here";
  const std::string text = numbers(300'000), in = file("in", text), report = scratch_ / "report";
  const ProgramResult result = on_disk({testing::program_path(), "sort", "-T", scratch_ / "disk", "--block-bytes=300K",
                                        in, "-o", scratch_ / "out", "--json", report});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("No space left on device"), std::string::npos) << result.err;
  expect_figures(result.err, text.size(), scratch_ / "disk");
  EXPECT_NE(content(report).find("scratch files have taken "), std::string::npos);
}

// How much address space the program itself takes differs from build to build; with less than it needs to say its
// version, it ends before its first line. oneTBB would end the process if a thread of its own were refused one.
TEST_F(SortWithoutRoom, TellsWhatToDoWhereNoThreadCanStart) {
  if (!kMeasuresMemory) GTEST_SKIP() << "a sanitizer takes memory of its own";
  const std::string in = file("in", numbers(300'000));
  std::filesystem::create_symlink(testing::program_path(), scratch_ / "sort");
  const std::string refusal =
      "sort: the system cannot start more threads; give fewer --parallel (1 starts none), or raise its limits "
      "(ulimit -u, ulimit -v, the cgroup's pids.max)\n";
  struct Outcome {
    std::size_t least_kibibytes = 0;  // the smallest limit with which the sort ends well
    unsigned refusals = 0;            // smaller limits with which it is refused threads
  };
  const auto run = [&](const Words& words, std::size_t kibibytes) {
    Words all{scratch_ / "sort"};
    all.insert(all.end(), words.begin(), words.end());
    return run_program(all, {.limits = {{RLIMIT_AS, kibibytes << 10}}});
  };
  std::size_t kibibytes_to_start = 40'000;
  while (kibibytes_to_start < 400'000 && run({"--version"}, kibibytes_to_start).exit_code != 0)
    kibibytes_to_start += 500;
  const auto try_limits = [&](const std::string& threads) {
    Outcome outcome;
    for (outcome.least_kibibytes = kibibytes_to_start; outcome.least_kibibytes < 400'000;
         outcome.least_kibibytes += 2'000) {
      const ProgramResult result =
          run({"--memory=32M", "--parallel=" + threads, in, "-o", scratch_ / "out"}, outcome.least_kibibytes);
      if (result.exit_code == 0) return outcome;
      EXPECT_EQ(result.exit_code, 2) << threads << " threads, " << outcome.least_kibibytes << " KiB: signal "
                                     << result.signal << ", " << result.err;
      if (result.err.find("threads") == std::string::npos) continue;
      EXPECT_EQ(result.err, refusal);
      ++outcome.refusals;
    }
    ADD_FAILURE() << threads << " threads: 400 MB of address space are not enough";
    return outcome;
  };
  const Outcome alone = try_limits("1"), together = try_limits("4");
  EXPECT_EQ(alone.refusals, 0U);
  EXPECT_GT(together.refusals, 0U);
  EXPECT_LT(alone.least_kibibytes, together.least_kibibytes);
}

TEST_F(SortWithoutRoom, IsQuietUnderTheNameSortWhereASignalEndsIt) {
  std::filesystem::create_symlink(testing::program_path(), scratch_ / "sort");
  const std::string pipe = scratch_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto end_by_signal = [&](const Words& words) {
    Words all{"/bin/sh", "-c", "exec 3<>\"$0\"; (sleep 0.5; kill -TERM $$) & exec \"$@\" <&3 3<&-", pipe};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramResult result = run_program(all);
    EXPECT_EQ(result.signal, SIGTERM);
    return result.err;
  };
  EXPECT_EQ(end_by_signal({scratch_ / "sort"}), "");
  EXPECT_EQ(end_by_signal({testing::program_path(), "sort"}), "spillway: sort: interrupted\n");
}

}  // namespace
}  // namespace spillway
