// Appends and deletions that are killed at any file operation, or that another job disturbs: the index is the old one
// or the new one, and the next job cleans up.
#include <gtest/gtest.h>
#include <signal.h>

#include "io/scratch/owned_directory.hpp"
#include "tests/end_to_end/growing/growing.hpp"
#include "tests/support/few_descriptors.hpp"
#include "tests/support/hooked_file_system.hpp"
#include "tests/support/places.hpp"
#include "tests/support/running_program.hpp"

namespace spillway {
namespace {

using testing::bytes_of;
using testing::Documents;
using testing::jsonl_of;
using testing::part_of;
using testing::ProgramResult;
using testing::same_index;
using testing::write_bytes;
namespace fs = std::filesystem;

class KilledGrowth : public testing::Growing {
 protected:
  using Words = std::vector<std::string>;
  KilledGrowth() {
    fs::create_directory(scratch_ / "place");
    fs::create_directory(scratch_ / "temp");
    index("old", jsonl_of(part_of(all_, 0, 150)), {});
    index("whole", jsonl_of(all_), {});
    write_bytes(scratch_ / "more.jsonl", jsonl_of(part_of(all_, 150, 400)));
    old_ = bytes_of(scratch_ / "old");
    put_old();
  }
  void put_old() {
    fs::remove_all(output_);
    fs::copy(scratch_ / "old", output_);
  }
  Words append_job(const Words& more = {}) const {
    Words words{"append",         output_, scratch_ / "more.jsonl", "--memory", testing::kSmallMemory,
                "--threads",      "3",     "--block-bytes",         "3000",     "--temp-dir",
                scratch_ / "temp"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  bool is_old_or(const std::map<std::string, std::string>& made) const {
    const auto found = bytes_of(output_);
    return found == old_ || found == made;
  }
  // Kills the job at moments spread over it, and where it publishes. `finish` is the job that follows.
  void kill_at_moments(const Words& job, const Words& finish, const std::map<std::string, std::string>& made) {
    const std::uint64_t operations = testing::count_file_operations(job);
    EXPECT_TRUE(same_index(made, output_));
    std::vector<testing::SignalAt> moments{{"fsync", 0, SIGKILL}, {"rename", 0, SIGKILL}};
    for (std::uint64_t i = 0; i < 10; ++i) moments.push_back({"any", i * operations * 9 / 100, SIGKILL});
    // Those that follow the exchange remove the old index and the work directory.
    for (std::uint64_t i = 1; i < 20; i += 4) moments.push_back({"any", operations - i, SIGKILL});
    std::size_t news = 0;
    for (const testing::SignalAt& moment : moments) {
      SCOPED_TRACE(moment.function + " " + std::to_string(moment.number) + " of " + std::to_string(operations));
      put_old();
      const ProgramResult killed = testing::run_spillway_with_signal(job, moment);
      ASSERT_TRUE(killed.signal == SIGKILL || killed.exit_code == 0) << killed.err;
      ASSERT_TRUE(is_old_or(made));
      const bool is_new = bytes_of(output_) == made;
      news += is_new ? 1 : 0;
      const ProgramResult next = testing::run_spillway(finish);
      ASSERT_EQ(next.exit_code, 0) << next.err;
      EXPECT_FALSE(fs::exists(output_ + ".work"));
      EXPECT_TRUE(fs::is_empty(scratch_ / "temp"));
      if (!is_new) {
        EXPECT_TRUE(same_index(made, output_));
      }
    }
    EXPECT_GT(news, 0U) << "no job was killed after it had published";
    EXPECT_LT(news, moments.size() / 2);
  }

  // Replaces the index at output_ by another one after the merge has opened it once: the merge makes nothing.
  void expect_replacement_noticed(const MergeOptions& options) {
    bool is_open = false, is_replaced = false;
    testing::HookedFileSystem files(posix_file_system(), [&](const std::string& path) {
      is_open = is_open || path == output_ + "/terms";
      if (!is_open || is_replaced || path != output_ + "/manifest") return;
      is_replaced = true;
      fs::remove_all(output_);
      fs::rename(scratch_ / "whole", output_);
    });
    std::atomic<int> signal_number{0};
    IndexProgress progress;
    MergeReport report;
    const auto ignore = [](const std::string&) {};
    EXPECT_THROW(run_merge(options, {files, signal_number, progress, ignore, ignore}, report), IoError);
    EXPECT_TRUE(is_replaced);
    EXPECT_EQ(fs::exists(options.output), options.output == output_);
    EXPECT_FALSE(fs::exists(options.output + ".work"));
  }

  const Documents all_ = documents(31, 400);
  const std::string output_ = scratch_ / "place/out";
  std::map<std::string, std::string> old_;
};

TEST_F(KilledGrowth, LeavesTheOldIndexOrTheNewOne) {
  kill_at_moments(append_job({"-q"}), append_job({"--skip-known", "-q"}), bytes_of(scratch_ / "whole"));
}

TEST_F(KilledGrowth, DeletesAllOrNothing) {
  write_bytes(scratch_ / "ids", all_[3].id + "\n" + all_[140].id + "\n");
  ASSERT_EQ(
      testing::run_spillway({"merge", scratch_ / "old", "--drop", scratch_ / "ids", "-o", scratch_ / "left", "-q"})
          .exit_code,
      0);
  const Words job{"delete",     output_,           "--id", "@" + (scratch_ / "ids"), "--missing-ok",
                  "--temp-dir", scratch_ / "temp", "-q"};
  kill_at_moments(job, job, bytes_of(scratch_ / "left"));
}

TEST_F(KilledGrowth, GoesOnIfItIsResumable) {
  const auto made = bytes_of(scratch_ / "whole");
  const Words job = append_job({"--resumable", "--json", scratch_ / "report.json", "--force", "-q"});
  const std::uint64_t operations = testing::count_file_operations(job);
  EXPECT_TRUE(same_index(made, output_));
  std::uint64_t goes_on = 0;
  for (const std::uint64_t share : {25, 45, 60, 75}) {
    SCOPED_TRACE(share);
    put_old();
    const ProgramResult killed = testing::run_spillway_with_signal(job, {"any", operations * share / 100, SIGKILL});
    ASSERT_EQ(killed.signal, SIGKILL) << killed.err;
    EXPECT_TRUE(same_index(old_, output_));
    const ProgramResult ordinary = testing::run_spillway(append_job());
    if (ordinary.exit_code != 0) {
      EXPECT_NE(ordinary.err.find("--restart"), std::string::npos) << ordinary.err;
      EXPECT_EQ(testing::run_spillway({"status", output_ + ".work"}).exit_code, 0);
      expect_done(job);
      EXPECT_EQ(report().at("documents"), 250);
      EXPECT_EQ(report().at("documents_before"), 150);
      goes_on += report().at("resumed_bytes") != 0 ? 1 : 0;
    }
    EXPECT_TRUE(same_index(made, output_));
    EXPECT_FALSE(fs::exists(output_ + ".work"));
  }
  EXPECT_GE(goes_on, 2U);
}

// With few descriptors runs are merged in passes, and the index with them: what it has dropped before is dropped again.
TEST_F(KilledGrowth, GoesOnAfterAPassThatTookTheIndex) {
  expect_done({"delete", output_, "--id", all_[3].id, "--id", all_[140].id, "-q"});
  fs::remove_all(scratch_ / "old");
  fs::copy(output_, scratch_ / "old");
  const Words job = append_job({"--block-bytes", "1000", "--resumable", "-q"});
  const testing::FewDescriptors few(66);
  const std::uint64_t operations = testing::count_file_operations(job);
  const auto made = bytes_of(output_);
  std::uint64_t after_a_pass = 0;
  for (std::uint64_t share = 50; share < 88; share += 4) {
    SCOPED_TRACE(share);
    put_old();
    ASSERT_EQ(testing::run_spillway_with_signal(job, {"any", operations * share / 100, SIGKILL}).signal, SIGKILL);
    const ProgramResult status = testing::run_spillway({"status", output_ + ".work"});
    const bool has_commit = status.out.find("steps done") != std::string::npos;
    after_a_pass += has_commit && status.out.find("input-0:") == std::string::npos ? 1 : 0;
    expect_done(job);
    EXPECT_TRUE(same_index(made, output_));
  }
  EXPECT_GE(after_a_pass, 1U);
}

// What an interrupted job has done belongs to the index that it was to grow.
TEST_F(KilledGrowth, DoesNotGoOnWithAnotherIndex) {
  const Words job = append_job({"--resumable", "-q"});
  const std::uint64_t operations = testing::count_file_operations(job);
  put_old();
  ASSERT_EQ(testing::run_spillway_with_signal(job, {"any", operations * 7 / 10, SIGKILL}).signal, SIGKILL);
  fs::remove_all(output_);
  fs::copy(index("other", jsonl_of(documents(32, 20)), {}), output_);
  const ProgramResult refused = testing::run_spillway(job);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("the index to append to"), std::string::npos) << refused.err;
  const std::string id = documents(32, 20)[3].id;
  const ProgramResult held = testing::run_spillway({"delete", output_, "--id", id});
  EXPECT_EQ(held.exit_code, 2);
  EXPECT_NE(held.err.find("--restart"), std::string::npos) << held.err;
  expect_done({"delete", output_, "--id", id, "--restart", "-q"});
  EXPECT_FALSE(fs::exists(output_ + ".work"));
}

// On a file system that cannot exchange names, a job that is killed between its two renames leaves no index.
TEST_F(KilledGrowth, BeginsWithAnIndexThatWasMovedAside) {
  const std::string id = all_[3].id;
  for (const Words& job : {append_job({"-q"}), Words{"delete", output_, "--id", id, "-q"}}) {
    put_old();
    { const auto left = OwnedDirectory::take(posix_file_system(), output_ + ".work"); }
    fs::rename(output_, output_ + ".work/replaced");
    expect_done(job);
    EXPECT_TRUE(fs::exists(output_));
    EXPECT_FALSE(fs::exists(output_ + ".work"));
    expect_done({"verify", output_, "-q"});
  }
}

// A reader opens one file after the other. Whichever it has opened when the index is replaced, it gets a whole index.
TEST_F(KilledGrowth, ReadersFindTheOldIndexOrTheNewOne) {
  const std::uint64_t old_count = 150, new_count = 400;
  std::size_t replaced = 0, found_old = 0;
  for (const auto& [name, bytes] : old_) {
    SCOPED_TRACE(name);
    put_old();
    fs::remove_all(scratch_ / "new");
    fs::copy(scratch_ / "whole", scratch_ / "new");
    bool is_replaced = false;
    testing::HookedFileSystem files(posix_file_system(), [&](const std::string& path) {
      if (is_replaced || path != output_ + "/" + name) return;
      is_replaced = posix_file_system().exchange(scratch_ / "new", output_);
    });
    const IndexReader index(files, output_);
    replaced += is_replaced ? 1 : 0;
    found_old += index.counts().documents == old_count ? 1 : 0;
    EXPECT_TRUE(index.counts().documents == old_count || index.counts().documents == new_count);
    EXPECT_NO_THROW(verify_index(index));
  }
  EXPECT_TRUE(replaced == old_.size() || replaced == 0) << "or the file system cannot exchange names";
  EXPECT_LT(found_old, old_.size() / 2) << "only the last files, which are empty, are the same in both";
}

// Another job publishes after this one has opened the index and before it reads it.
TEST_F(KilledGrowth, DoesNotLoseWhatAnotherJobHasPublished) {
  const auto made = bytes_of(scratch_ / "whole");
  MergeOptions options;
  options.inputs = {output_};
  options.output = output_;
  options.drop_ids.values = {all_[3].id};
  options.force = true;
  expect_replacement_noticed(options);
  EXPECT_TRUE(same_index(made, output_));
}

TEST_F(KilledGrowth, MergesNoIndexThatAnotherJobReplaces) {
  MergeOptions options;
  options.inputs = {output_, index("other", jsonl_of(documents(33, 20)), {})};
  options.output = scratch_ / "merged";
  expect_replacement_noticed(options);
}

TEST_F(KilledGrowth, LeavesTheIndexToTheJobThatHasIt) {
  testing::RunningProgram first({testing::program_path(), "append", output_, "-", "--format", "jsonl", "-q"},
                                scratch_ / "errors");
  first.write_input(testing::jsonl_line(all_[150]));
  first.wait_until_input_is_read();
  for (const Words& job : {append_job(), Words{"delete", output_, "--id", all_[3].id}}) {
    const ProgramResult refused = testing::run_spillway(job);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find("locked"), std::string::npos) << refused.err;
  }
  first.close_input();
  EXPECT_EQ(first.wait().exit_code, 0) << testing::read_bytes(scratch_ / "errors");
  EXPECT_EQ(IndexReader(posix_file_system(), output_).counts().documents, 151U);
}

}  // namespace
}  // namespace spillway
