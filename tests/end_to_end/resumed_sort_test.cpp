// `spillway sort --resumable` as real processes: after kill -9 or a signal at any file operation the same command goes
// on to the same bytes, and leaves nothing. Changed inputs and options, damaged runs and other processes are refused.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/running_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_program;
using testing::run_spillway;
using testing::run_spillway_with_signal;
using testing::ScratchDirectory;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

// Lines with equal ones among them, of two fields; the last one has no end.
std::string random_lines(unsigned seed, std::size_t count, char end = '\n') {
  std::mt19937 random(seed);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += "key" + std::to_string(random() % 3000) + " " + std::string(random() % 20, 'a') + std::to_string(random());
    text += i + 1 == count ? "" : std::string(random() % 200 == 0 ? 3 : 1, end);
    if (random() % 10 == 0) text += text.substr(text.size() / 2, 5) + end;
  }
  return text;
}

class ResumedSorts : public ::testing::Test {
 protected:
  ResumedSorts() {
    fs::create_directory(scratch_ / "place");
    write(scratch_ / "a", random_lines(1, 9000));
    write(scratch_ / "b", "");
    write(scratch_ / "c", random_lines(2, 6000));
    inputs_ = {scratch_ / "a", scratch_ / "b", scratch_ / "c"};
  }

  // Of many blocks, and two passes of the merge.
  Words sort_to(const std::string& output, const Words& more = {}) const {
    return with(with({"sort", "-T", scratch_.path(), "--block-bytes=100K", "--batch-size=3"}, options_),
                with(with(inputs_, {"-o", output}), more));
  }
  Words resumable(const Words& more = {}) const {
    return sort_to(output_, with({"--resumable", "--json", report_, "--force"}, more));
  }
  void set_options(const Words& options) {
    options_ = options;
    const ProgramResult plain = run_spillway(sort_to(scratch_ / "reference"));
    ASSERT_EQ(plain.exit_code, 0) << plain.err;
    expected_ = content(scratch_ / "reference");
    operations_ = testing::count_file_operations(resumable());
    expect_done();
  }
  nlohmann::json report() const { return nlohmann::json::parse(content(report_)); }
  ProgramResult stop_at(double share, int signal = SIGKILL, const Words& more = {}) const {
    const auto moment = static_cast<std::uint64_t>(share * static_cast<double>(operations_));
    return run_spillway_with_signal(resumable(more), {"any", moment, signal});
  }
  bool has_commit() const {
    if (!fs::exists(work_)) return false;
    for (const auto& entry : fs::directory_iterator(work_)) {
      if (entry.path().filename().string().starts_with("spillway-manifest-")) return true;
    }
    return false;
  }
  // The output is there, whole, and nothing else.
  void expect_done() {
    EXPECT_TRUE(content(output_) == expected_);
    for (const auto& entry : fs::directory_iterator(scratch_ / "place")) EXPECT_EQ(entry.path(), output_);
    fs::remove(output_);
  }
  void finish(const Words& more = {}) {
    const ProgramResult next = run_spillway(resumable(more));
    ASSERT_EQ(next.exit_code, 0) << next.err;
    expect_done();
  }
  void kill_and_finish(int moments, const Words& more_of_next = {}) {
    int goes_on = 0;
    for (int i = 0; i < moments; ++i) {
      SCOPED_TRACE("moment " + std::to_string(i));
      const double share = 0.98 * (i + 0.5) / moments;
      ASSERT_EQ(stop_at(share).signal, SIGKILL);
      fs::remove(output_);  // the last operations may have named it
      const bool had_commit = has_commit();
      finish(more_of_next);
      if (HasFailure()) return;
      EXPECT_EQ(report().at("resumed_bytes") != 0, had_commit);
      goes_on += had_commit ? 1 : 0;
    }
    EXPECT_GE(goes_on, moments * 2 / 3) << "too few of the sorts went on";
  }
  void expect_refused(const Words& more, const std::string& words) const {
    const ProgramResult refused = run_spillway(resumable(more));
    EXPECT_EQ(refused.exit_code, 2) << words;
    EXPECT_NE(refused.err.find(words), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("--restart"), std::string::npos) << refused.err;
  }

  ScratchDirectory scratch_;
  std::string output_ = scratch_ / "place/out", work_ = output_ + ".work", report_ = scratch_ / "report.json";
  Words inputs_, options_;
  std::string expected_;
  std::uint64_t operations_ = 0;
};

struct Case {
  const char* name;
  Words options;
};

class ResumedSortsOf : public ResumedSorts, public ::testing::WithParamInterface<Case> {};

TEST_P(ResumedSortsOf, EndInTheSameBytesAfterAKill) {
  set_options(GetParam().options);
  if (HasFailure()) return;
  kill_and_finish(6);
}

INSTANTIATE_TEST_SUITE_P(Options, ResumedSortsOf,
                         ::testing::Values(Case{"OneThread", {"--parallel=1"}}, Case{"FourThreads", {"--parallel=4"}},
                                           Case{"Unique", {"-u", "--parallel=3"}}, Case{"UniqueKeys", {"-u", "-k1,1"}},
                                           Case{"Reversed", {"-r"}}, Case{"StableKeys", {"-s", "-k1,1"}},
                                           Case{"Keys", {"-k2,2", "-k1.4,1nr", "--parallel=2"}},
                                           Case{"Counts", {"--count", "-k1,1"}},
                                           Case{"Packed", {"--output-compress=zstd"}},
                                           Case{"Collated", {"--collate=de", "-k2"}},
                                           Case{"Sorter", {"--sorter=cpu-msd"}}),
                         [](const auto& one) { return one.param.name; });

TEST_F(ResumedSorts, AgreeWithGnuSort) {
  set_options({"-s", "-t", " ", "-k1,1"});
  const ProgramResult gnu =
      run_program(with({"/usr/bin/sort", "-s", "-t", " ", "-k1,1"}, inputs_), {.environment = {"LC_ALL=C"}});
  ASSERT_EQ(gnu.exit_code, 0) << gnu.err;
  EXPECT_TRUE(gnu.out == expected_);
  kill_and_finish(4);
}

TEST_F(ResumedSorts, EndLinesWithZeroBytes) {
  write(scratch_ / "a", random_lines(3, 9000, '\0'));
  write(scratch_ / "c", random_lines(4, 6000, '\0'));
  set_options({"-z", "-u"});
  kill_and_finish(6);
}

TEST_F(ResumedSorts, TakeRecords) {
  std::string records = random_lines(4, 12'000);
  records.resize(records.size() / 20 * 20);
  write(scratch_ / "a", records);
  inputs_ = {scratch_ / "a"};
  set_options({"--record-size=20", "--key-offset=3", "--key-size=9", "-s"});
  kill_and_finish(6);
  ASSERT_EQ(stop_at(0.5).signal, SIGKILL);
  expect_refused({"--key-offset=2", "--key-size=10"}, "the keys were 1.4,1.12 and are 1.3,1.12");
  expect_refused({"--record-size=30"}, "--record-size was 20 and is 30");
}

TEST_F(ResumedSorts, UnpackInputsAgain) {
  for (const char* const name : {"a", "c"}) {
    const ProgramResult packed = run_spillway({"sort", scratch_ / name, "--output-compress=gzip"});
    write(scratch_ / name, packed.out);
  }
  set_options({"--parallel=2"});
  kill_and_finish(6);
}

TEST_F(ResumedSorts, MayGetOtherResources) {
  set_options({"--parallel=2", "-k1,1"});
  kill_and_finish(5, {"--parallel=4", "--block-bytes=300K", "--batch-size=5", "--memory=100M", "--temp-limit=1G"});
}

TEST_F(ResumedSorts, AreKilledAgainAndAgain) {
  set_options({"--parallel=2"});
  std::uint64_t before = 0;
  int kills = 0;
  for (double share = 0.1;; ++kills) {
    ASSERT_LT(kills, 100);
    const ProgramResult stopped = stop_at(share);
    if (stopped.signal == 0) break;
    if (!has_commit()) continue;
    const ProgramResult status = run_spillway({"status", work_, "--json"});
    ASSERT_EQ(status.exit_code, 0) << status.err;
    const auto shown = nlohmann::json::parse(status.out);
    EXPECT_GE(shown.at("bytes_done"), before) << "nothing is lost";
    before = shown.at("bytes_done");
    share += 0.02;
  }
  EXPECT_GE(kills, 4);
  expect_done();
}

TEST_F(ResumedSorts, TellHowToGoOnAfterASignal) {
  set_options({"--parallel=2"});
  for (const int signal : {SIGINT, SIGTERM}) {
    const ProgramResult stopped = stop_at(0.5, signal);
    EXPECT_EQ(stopped.signal, signal);
    EXPECT_NE(stopped.err.find(work_ + " keeps the runs of "), std::string::npos) << stopped.err;
    EXPECT_NE(stopped.err.find("give the same command to go on"), std::string::npos) << stopped.err;
    const ProgramResult next = run_spillway(resumable());
    EXPECT_NE(next.err.find("this sort goes on"), std::string::npos) << next.err;
    expect_done();
  }
}

TEST_F(ResumedSorts, LeaveNothingIfNothingIsDone) {
  set_options({});
  const ProgramResult stopped = stop_at(0, SIGTERM);
  EXPECT_EQ(stopped.signal, SIGTERM);
  EXPECT_TRUE(fs::is_empty(scratch_ / "place"));
}

TEST_F(ResumedSorts, MakeNoDirectoryAndSyncNothingIfAllFitsTheMemory) {
  set_options({});
  const Words words = sort_to(output_, {"--resumable", "--block-bytes=100M"});
  for (const char* const function : {"mkdir", "fsync"}) {
    EXPECT_EQ(run_spillway_with_signal(words, {function, 0, SIGKILL}).exit_code, 0) << function;
  }
  expect_done();
}

TEST_F(ResumedSorts, ReplaceTheirInput) {
  write(output_, content(scratch_ / "a"));
  const std::string unsorted = content(output_);
  inputs_ = {output_};
  options_ = {"--parallel=2"};
  ASSERT_EQ(run_spillway(sort_to(scratch_ / "reference")).exit_code, 0);
  expected_ = content(scratch_ / "reference");
  operations_ = testing::count_file_operations(resumable());
  EXPECT_TRUE(content(output_) == expected_);
  fs::remove(output_);
  for (int i = 0; i < 6; ++i) {
    write(output_, unsorted);
    ASSERT_EQ(stop_at(0.15 * i + 0.05).signal, SIGKILL);
    EXPECT_TRUE(content(output_) == unsorted);
    finish();
  }
}

TEST_F(ResumedSorts, RefuseWhatHasChanged) {
  set_options({"-k1,1"});
  ASSERT_EQ(stop_at(0.5).signal, SIGKILL);
  ASSERT_TRUE(has_commit());
  expect_refused({"-u"}, "-u was no and is yes");
  expect_refused({"-s"}, "-s was no and is yes");
  expect_refused({"-r"}, "the keys were");
  expect_refused({"-z"}, "-z was no and is yes");
  expect_refused({"-k2,2"}, "the keys were 1,1 and are 1,1 2,2");
  expect_refused({"-t,"}, "-t was blanks and is ,");
  expect_refused({"--count"}, "--count was no and is yes");
  expect_refused({"--collate=de"}, "--collate was bytes and is de (ICU ");
  expect_refused({"--unpack=never"}, "--unpack was auto and is never");
  expect_refused({"--output-compress=gzip"}, "--output-compress was none and is gzip");
  expect_refused({scratch_ / "a"}, "the number of inputs was 3 and is 4");
  const auto time = fs::last_write_time(inputs_[2]);
  fs::last_write_time(inputs_[2], time + std::chrono::nanoseconds(10));
  expect_refused({}, "the input " + inputs_[2] + " was ");
  fs::last_write_time(inputs_[2], time);
  std::swap(inputs_[0], inputs_[2]);
  expect_refused({}, "input 1 was " + inputs_[2]);
  std::swap(inputs_[0], inputs_[2]);
  finish();
}

TEST_F(ResumedSorts, BeginAnewIfToldTo) {
  set_options({"-k1,1"});
  ASSERT_EQ(stop_at(0.5).signal, SIGKILL);
  finish({"--restart"});
  EXPECT_EQ(report().at("resumed_bytes"), 0);
}

TEST_F(ResumedSorts, RefuseDamagedRuns) {
  set_options({"--parallel=2"});
  std::mt19937 random(5);
  for (int i = 0; i < 12; ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(stop_at(0.4 + 0.02 * i).signal, SIGKILL);
    const ProgramResult status = run_spillway({"status", work_, "--json"});
    const auto runs = nlohmann::json::parse(status.out).at("runs");
    const std::string path = work_ + "/" + runs[random() % runs.size()].at("name").get<std::string>();
    const std::string whole = content(path);
    std::string damaged = whole;
    if (i % 4 == 0) damaged.resize(random() % whole.size());
    if (i % 4 != 0) damaged[random() % damaged.size()] ^= static_cast<char>(1U << (random() % 8));
    write(path, damaged);
    expect_refused({}, path);
    write(path, whole);
    finish();
  }
}

TEST_F(ResumedSorts, RefuseDamagedManifests) {
  set_options({"--parallel=2"});
  ASSERT_EQ(stop_at(0.5).signal, SIGKILL);
  for (const auto& entry : fs::directory_iterator(work_)) {
    const std::string path = entry.path(), name = entry.path().filename(), whole = content(path);
    if (name != "spillway-job" && !name.starts_with("spillway-manifest-")) continue;
    for (std::size_t at = 0; at < whole.size(); at += 37) {
      std::string damaged = whole;
      damaged[at] ^= 4;
      write(path, damaged);
      expect_refused({}, path);
    }
    write(path, whole);
  }
  finish();
}

TEST_F(ResumedSorts, RefuseASecondProcess) {
  set_options({});
  ASSERT_EQ(stop_at(0.5).signal, SIGKILL);
  const std::string lock = work_ + "/LOCK";
  const ProgramResult locked = run_program(with({"/usr/bin/flock", lock, testing::program_path()}, resumable()));
  EXPECT_EQ(locked.exit_code, 2);
  EXPECT_NE(locked.err.find("another process is working on this output"), std::string::npos) << locked.err;
  finish();
}

TEST_F(ResumedSorts, LeaveForeignFilesAlone) {
  set_options({});
  fs::create_directory(work_);
  write(work_ + "/mine", "x");
  const ProgramResult refused = run_spillway(resumable());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("is not a work directory of Spillway"), std::string::npos) << refused.err;
  EXPECT_EQ(content(work_ + "/mine"), "x");
}

TEST_F(ResumedSorts, KeepTheLimitOfScratchFiles) {
  set_options({});
  const ProgramResult limited = run_spillway(resumable({"--temp-limit=60K"}));
  EXPECT_EQ(limited.exit_code, 2);
  EXPECT_NE(limited.err.find("raise --temp-limit"), std::string::npos) << limited.err;
  EXPECT_NE(limited.err.find("keeps the runs"), std::string::npos) << limited.err;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(work_)) bytes += entry.file_size();
  EXPECT_LE(bytes, 66'000U);
  finish();
}

TEST_F(ResumedSorts, RefuseWhatCannotGoOn) {
  options_ = {};
  const auto refused = [&](const Words& words, const std::string& reason) {
    const ProgramResult result = run_spillway(with({"sort", "--resumable"}, words));
    EXPECT_EQ(result.exit_code, 2) << reason;
    EXPECT_NE(result.err.find(reason), std::string::npos) << result.err;
  };
  const std::string in = inputs_[0];
  refused({in}, "--resumable needs -o FILE");
  refused({"-o", output_}, "standard input cannot");
  refused({"-o", output_, in, "-"}, "standard input cannot");
  refused({"-o", output_, "/dev/null"}, "needs inputs that can be read again, and /dev/null cannot");
  refused({"-o", output_, "/proc/self/status"}, "/proc/self/status cannot");
  refused({"-o", "/dev/null", in}, "/dev/null is a device");
  refused({"-o", output_, "-m", in}, "'--resumable -m' are incompatible");
  refused({"-c", in}, "'--resumable -c' are incompatible");
  refused({"-o", output_, "-R", in}, "add --random-source FILE");
  const ProgramResult alone = run_spillway({"sort", "--restart", in});
  EXPECT_NE(alone.err.find("--restart needs --resumable"), std::string::npos) << alone.err;
  EXPECT_TRUE(fs::is_empty(scratch_ / "place"));
}

}  // namespace
}  // namespace spillway
