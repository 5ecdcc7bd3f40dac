// Resumable jobs as real processes: after kill -9, a signal or an error at any file operation the same command goes on
// to the same bytes and the same counts, and leaves nothing. Changed inputs and options are refused.
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/records/warc_samples.hpp"
#include "tests/end_to_end/indexing.hpp"
#include "tests/support/run_program.hpp"

namespace spillway {
namespace {

using nlohmann::json;
using testing::bytes_of;
using testing::ProgramResult;
using testing::run_spillway;
using testing::run_spillway_with_signal;
using testing::same_index;
using testing::write_bytes;
namespace fs = std::filesystem;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr const char* kMemory = "1G";
#else
constexpr const char* kMemory = "96M";
#endif

using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Documents with duplicates, and records that cannot be read.
std::string records(std::uint64_t seed, std::size_t count) {
  testing::RandomDocuments shape;
  shape.count = count;
  shape.words = 100;
  shape.long_document_words = 400;
  std::string text;
  for (const testing::OracleDocument& document : testing::random_corpus(seed, shape, true)) {
    text += testing::jsonl_line(document);
    if (text.size() % 7 == 0) text += "{\"id\": broken\n";
    if (text.size() % 11 == 0) text += "{\"id\":\"r\xFF" + document.id + "\",\"text\":\"repaired\"}\n";
  }
  return text;
}

// The files of the directory itself.
std::map<std::string, std::string> files_of(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.is_regular_file()) files[entry.path().filename()] = testing::read_bytes(entry.path());
  }
  return files;
}

class ResumedJobs : public ::testing::Test {
 protected:
  ResumedJobs() { fs::create_directory(scratch_ / "place"); }

  // Makes the index without --resumable, for comparison. `job`: all words but the output.
  void set_job(const Words& job) {
    job_ = job;
    const Words plain = with(job, {"-o", scratch_ / "reference", "--force", "--json", scratch_ / "reference.json"});
    const ProgramResult made = run_spillway(plain);
    ASSERT_EQ(made.exit_code, 0) << made.err;
    expected_ = bytes_of(scratch_ / "reference");
    reference_ = json::parse(testing::read_bytes(scratch_ / "reference.json"));
    operations_ = testing::count_file_operations(resumable());
    fs::remove_all(output_);
  }
  Words resumable(const Words& more = {}) const {
    return with(job_, with({"-o", output_, "--resumable", "--json", report_, "--force"}, more));
  }
  bool has_commit() const {
    if (!fs::exists(work_)) return false;
    for (const auto& entry : fs::directory_iterator(work_)) {
      if (entry.path().filename().string().starts_with("spillway-manifest-")) return true;
    }
    return false;
  }
  json report() const { return json::parse(testing::read_bytes(report_)); }

  // Ends the job that was interrupted.
  void finish(const Words& more = {}) {
    const ProgramResult next = run_spillway(resumable(more));
    ASSERT_EQ(next.exit_code, 0) << next.err;
    EXPECT_TRUE(same_index(expected_, output_));
    EXPECT_FALSE(fs::exists(work_));
    for (const char* count : {"input_bytes", "records_in", "documents", "skipped", "examples", "repaired", "terms",
                              "postings", "occurrences", "overlong_tokens", "fields_cut", "duplicate_documents"}) {
      if (reference_.contains(count)) {
        EXPECT_EQ(report().at(count), reference_.at(count)) << count;
      }
    }
    fs::remove_all(output_);
  }
  // Interrupts the job at a share of its operations.
  ProgramResult stop_at(double share, int signal = SIGKILL, const Words& more = {}) const {
    const auto moment = static_cast<std::uint64_t>(share * static_cast<double>(operations_));
    return run_spillway_with_signal(resumable(more), {"any", moment, signal});
  }

  testing::ScratchDirectory scratch_;
  std::string output_ = scratch_ / "place/out", work_ = output_ + ".work", report_ = scratch_ / "report.json";
  Words job_;
  std::map<std::string, std::string> expected_;
  json reference_;
  std::uint64_t operations_ = 0;
};

class ResumedIndexJobs : public ResumedJobs {
 protected:
  void set_index_job(const Words& inputs, const Words& more = {}) {
    set_job(
        with(with({"index"}, inputs),
             with({"--threads", "3", "--memory", kMemory, "--block-bytes", "6000", "--max-error-rate", "1"}, more)));
  }
  void set_small_corpus(const Words& more = {}) {
    write_bytes(scratch_ / "in.jsonl", records(1, 400));
    set_index_job({scratch_ / "in.jsonl"}, more);
  }
  // Kills the job at several moments, and ends it each time.
  void kill_and_finish(int moments) {
    std::uint64_t goes_on = 0;
    for (int i = 0; i < moments; ++i) {
      SCOPED_TRACE("moment " + std::to_string(i) + " of " + std::to_string(moments));
      ASSERT_EQ(stop_at(0.95 * (i + 0.5) / moments).signal, SIGKILL);
      finish();
      if (HasFailure()) return;
      goes_on += report().at("resumed_bytes") != 0 ? 1 : 0;
    }
    EXPECT_GE(goes_on, static_cast<std::uint64_t>(moments) / 2) << "too few of the jobs went on";
  }
};

TEST_F(ResumedIndexJobs, GiveTheSameBytesAfterKillsAtManyMoments) {
  set_small_corpus();
  EXPECT_FALSE(reference_.at("skipped").empty());
  EXPECT_GT(reference_.at("repaired"), 0);
  kill_and_finish(16);
}

TEST_F(ResumedIndexJobs, GiveTheSameBytesInEveryForm) {
  const Words forms[] = {{"--positions", "--store", "text", "--mode", "cpu"},
                         {"--duplicate-ids", "keep", "--stem", "english", "--record-sorter", "cpu-radix"},
                         {"--part", "2/3", "--store", "none"},
                         {"--format", "lines", "--tokenizer", "ascii"},
                         {"--dedup", "url", "--url-field", "id"},
                         {"--dedup", "exact", "--text-field", "date", "--title-field", "date"},
                         {"--format", "tsv", "--id-field", "1", "--text-field", "1", "--duplicate-ids", "keep"}};
  for (const Words& form : forms) {
    SCOPED_TRACE(::testing::PrintToString(form));
    set_small_corpus(form);
    kill_and_finish(5);
  }
}

// Compressed inputs are unpacked again from their start, and what is done is dropped.
TEST_F(ResumedIndexJobs, GoOnInsideCompressedFilesAndDirectories) {
  fs::create_directories(scratch_ / "in/texts");
  write_bytes(scratch_ / "in/a.jsonl.gz",
              testing::gzip_member(records(2, 200)) + testing::gzip_member(records(3, 200)));
  const std::string damaged = testing::gzip_member(records(4, 200));
  write_bytes(scratch_ / "in/b.jsonl.gz", damaged.substr(0, damaged.size() / 2));
  write_bytes(scratch_ / "in/c.jsonl", records(5, 200));
  for (int i = 0; i < 300; ++i) {
    write_bytes(scratch_ / ("in/texts/" + std::to_string(i) + ".txt"), "text number " + std::to_string(i) + "\n");
  }
  set_index_job({scratch_ / "in"});
  kill_and_finish(12);
}

TEST_F(ResumedIndexJobs, LeaveOutTheSameRecordsOfACrawl) {
  fs::create_directory(scratch_ / "in");
  for (int file = 0; file < 30; ++file) {
    std::string crawl;
    for (int i = 10 * file; i < 10 * (file + 1); ++i) {
      const std::string id = "page" + std::to_string(i / 2 * 7 % 200);
      std::string page = testing::archived_page(id, "<p>page " + std::to_string(i));
      if (i % 5 == 0) page.replace(page.find("2024-01-02"), 10, "2023-12-31");
      crawl += testing::gzip_member(page);
    }
    write_bytes(scratch_ / ("in/" + std::to_string(100 + file) + ".warc.gz"), crawl);
  }
  set_index_job({scratch_ / "in"}, {"--since", "2024", "--dedup", "url"});
  EXPECT_EQ(reference_.at("skipped").at("before_since"), 60);
  EXPECT_GT(reference_.at("skipped").at("duplicate_url"), 50);
  kill_and_finish(8);
}

// The pass that finds what revisits refer to is done again.
TEST_F(ResumedIndexJobs, FollowTheSameRevisits) {
  fs::create_directory(scratch_ / "in");
  for (int file = 0; file < 30; ++file) {
    std::string crawl;
    for (int i = 10 * file; i < 10 * (file + 1); ++i) {
      const std::string id = "page" + std::to_string(i), other = "page" + std::to_string((i * 7 + i / 3 % 2) % 300);
      const std::string page = testing::archived_page(id, "<p>page " + std::to_string(i));
      crawl += testing::gzip_member(
          i % 3 != 0 ? page : testing::archived("revisit", id, "", "WARC-Refers-To: <" + other + ">\r\n"));
    }
    write_bytes(scratch_ / ("in/" + std::to_string(100 + file) + ".warc.gz"), crawl);
  }
  set_index_job({scratch_ / "in"}, {"--revisits", "follow"});
  EXPECT_GT(reference_.at("documents"), 200);
  EXPECT_EQ(reference_.at("records_in"), 300);
  kill_and_finish(8);
  ASSERT_EQ(stop_at(0.6).signal, SIGKILL);
  const ProgramResult refused = run_spillway(resumable({"--revisits", "skip"}));
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
}

// What another budget and number of threads cut otherwise is still the same place.
TEST_F(ResumedIndexJobs, GoOnWithOtherResources) {
  fs::create_directory(scratch_ / "in");
  write_bytes(scratch_ / "in/a.jsonl.gz", testing::gzip_member(records(2, 3000)));
  write_bytes(scratch_ / "in/b.jsonl", records(3, 800));
  set_index_job({scratch_ / "in"});
  const Words others[] = {{"--threads", "1", "--mode", "cpu"},
                          {"--memory", "1G", "--threads", "4"},
                          {"--record-sorter", "cpu-radix", "--block-bytes", "100000"}};
  for (const double share : {0.3, 0.6, 0.85}) {
    for (const Words& other : others) {
      SCOPED_TRACE(std::to_string(share) + " " + ::testing::PrintToString(other));
      ASSERT_EQ(stop_at(share).signal, SIGKILL);
      EXPECT_TRUE(has_commit());
      Words changed = resumable();
      for (std::size_t i = 0; i + 1 < other.size(); i += 2) {
        const auto found = std::find(changed.begin(), changed.end(), other[i]);
        if (found != changed.end()) changed.erase(found, found + 2);
      }
      const ProgramResult next = run_spillway(with(changed, other));
      ASSERT_EQ(next.exit_code, 0) << next.err;
      EXPECT_TRUE(same_index(expected_, output_));
      EXPECT_EQ(report().at("documents"), reference_.at("documents"));
      EXPECT_EQ(report().at("skipped"), reference_.at("skipped"));
    }
  }
}

TEST_F(ResumedIndexJobs, GoOnAgainAndAgain) {
  set_small_corpus();
  std::uint64_t done = 0;
  int runs = 0;
  for (; runs < 40; ++runs) {
    const ProgramResult result = run_spillway_with_signal(resumable(), {"any", 90, SIGKILL});
    if (result.signal != SIGKILL) break;
    if (!has_commit()) continue;
    const json status = json::parse(run_spillway({"status", work_, "--json"}).out);
    EXPECT_GE(status.at("bytes_done"), done) << "work was lost";
    done = status.at("bytes_done");
  }
  EXPECT_GT(runs, 2);
  finish();
}

// In mode cpu there is one block at a time. What was parsed and is not committed is a block and the task that follows.
TEST_F(ResumedIndexJobs, RedoAtMostOneBlock) {
  constexpr std::uint64_t kBlockBytes = 20'000;
  write_bytes(scratch_ / "in.jsonl", records(1, 2000));
  const std::uint64_t all = fs::file_size(scratch_ / "in.jsonl");
  IndexOptions options = testing::index_job({scratch_ / "in.jsonl"}, output_);
  options.threads = 1;
  options.mode = IndexMode::kCpu;
  options.block_bytes = kBlockBytes;
  options.resume.resumable = true;
  std::uint64_t committed = 0;
  for (const std::uint64_t stop_at : {all / 4, all / 2, all * 3 / 4}) {
    std::atomic<int> signal_number{0};
    IndexProgress progress;
    const auto ignore = [](const std::string&) {};
    IndexReport report;
    std::jthread stopper([&](const std::stop_token& end) {
      while (progress.bytes_done < stop_at && !end.stop_requested()) std::this_thread::yield();
      signal_number = SIGINT;
    });
    EXPECT_THROW(run_index(options, {posix_file_system(), signal_number, progress, ignore, ignore}, report),
                 InterruptedError);
    EXPECT_EQ(report.resumed_bytes, committed);
    committed = json::parse(run_spillway({"status", work_, "--json"}).out).at("bytes_done");
    EXPECT_GE(committed, report.resumed_bytes);
    EXPECT_LE(progress.bytes_done - committed, 2 * kBlockBytes);
  }
  EXPECT_GT(committed, all / 2);
}

TEST_F(ResumedIndexJobs, KeepTheirWorkAfterSignalsAndSayHowToGoOn) {
  set_small_corpus();
  for (const int signal : {SIGINT, SIGTERM}) {
    const ProgramResult stopped = stop_at(0.6, signal);
    EXPECT_EQ(stopped.signal, signal) << stopped.err;
    EXPECT_NE(stopped.err.find("give the same command with --resumable"), std::string::npos) << stopped.err;
    EXPECT_TRUE(has_commit());
    EXPECT_FALSE(fs::exists(work_ + "/index"));
    finish();
    EXPECT_GT(report().at("resumed_bytes"), 0);
  }
}

TEST_F(ResumedIndexJobs, GoOnAfterAFullDisk) {
  set_small_corpus();
  const ProgramResult full = run_spillway(resumable({"--temp-limit", "40000"}));
  EXPECT_EQ(full.exit_code, 4) << full.err;
  EXPECT_TRUE(has_commit());
  finish();
  EXPECT_GT(report().at("resumed_bytes"), 0);
}

TEST_F(ResumedIndexJobs, RefuseChangedOptionsAndInputsAndNameThem) {
  set_small_corpus();
  ASSERT_EQ(stop_at(0.6).signal, SIGKILL);
  const auto refuses = [&](const Words& words, const std::string& reason) {
    const auto before = files_of(work_);
    const ProgramResult refused = run_spillway(words);
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    EXPECT_NE(refused.err.find(reason), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("--restart"), std::string::npos) << refused.err;
    EXPECT_EQ(files_of(work_), before);
  };
  refuses(resumable({"--positions"}), "--positions was no and is yes");
  refuses(resumable({"--part", "1/2"}), "--part was 1/1 and is 1/2");
  refuses(resumable({"--dedup", "url"}), "--dedup was none and is url");
  refuses(resumable({"--since", "2024"}), "--since was");
  refuses(resumable({"--id-field", "x"}), "--id-field");
  refuses(resumable({scratch_ / "reference.json"}), "the number of inputs was 1 and is 2");
  // An ordinary job does not throw the work away.
  refuses(with(job_, {"-o", output_}), "an interrupted job that can go on");
  refuses(with(job_, {"-o", output_, "--force"}), "an interrupted job that can go on");
  const std::string input = scratch_ / "in.jsonl";
  const auto time = fs::last_write_time(input);
  fs::last_write_time(input, time + std::chrono::seconds(1));
  refuses(resumable(), "in.jsonl was");
  fs::last_write_time(input, time);
  finish();
}

TEST_F(ResumedIndexJobs, BeginAnewIfTheyAreTold) {
  set_small_corpus();
  ASSERT_EQ(stop_at(0.6).signal, SIGKILL);
  finish({"--restart"});
  EXPECT_EQ(report().at("resumed_bytes"), 0);
  ASSERT_EQ(stop_at(0.6).signal, SIGKILL);
  const ProgramResult ordinary = run_spillway(with(job_, {"-o", output_, "--restart"}));
  EXPECT_EQ(ordinary.exit_code, 0) << ordinary.err;
  EXPECT_TRUE(same_index(expected_, output_));
  EXPECT_FALSE(fs::exists(work_));
}

TEST_F(ResumedIndexJobs, RefuseDamagedFilesOfTheJob) {
  set_small_corpus();
  ASSERT_EQ(stop_at(0.6).signal, SIGKILL);
  for (const auto& entry : fs::directory_iterator(work_)) {
    const std::string name = entry.path().filename();
    if (name == "LOCK" || name == "index") continue;
    const auto is_named = [&] {
      for (const auto& [other, bytes] : files_of(work_)) {
        if (other.starts_with("spillway-manifest-") && bytes.find(" " + name + " ") != std::string::npos) return true;
      }
      return name.starts_with("spillway-manifest-") || name == "spillway-job";
    };
    if (!is_named()) continue;
    SCOPED_TRACE(name);
    const std::string bytes = testing::read_bytes(entry.path());
    write_bytes(entry.path(), bytes.substr(0, bytes.size() / 2));
    const ProgramResult refused = run_spillway(resumable());
    EXPECT_EQ(refused.exit_code, 5) << refused.err;
    EXPECT_NE(refused.err.find(name), std::string::npos) << refused.err;
    write_bytes(entry.path(), bytes);
  }
  finish();
}

TEST_F(ResumedIndexJobs, RefuseStreams) {
  const ProgramResult refused =
      run_spillway({"index", "-", "--format", "lines", "-o", output_, "--resumable"}, {.input = "a line\n"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("standard input"), std::string::npos) << refused.err;
  EXPECT_FALSE(fs::exists(work_));
}

TEST_F(ResumedIndexJobs, TellTheirStatus) {
  set_small_corpus();
  ASSERT_EQ(stop_at(0.6).signal, SIGKILL);
  const ProgramResult told = run_spillway({"status", work_});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  for (const char* part :
       {"spillway index, interrupted", "in.jsonl", "--format auto", "spillway-run-0: ", "--resumable to go on"}) {
    EXPECT_NE(told.out.find(part), std::string::npos) << part << " in\n" << told.out;
  }
  const json status = json::parse(run_spillway({"status", work_ + "/", "--json"}).out);
  EXPECT_EQ(status.at("input_bytes"), fs::file_size(scratch_ / "in.jsonl"));
  EXPECT_GT(status.at("bytes_done"), 0);
  EXPECT_EQ(status.at("is_running"), false);
  EXPECT_GE(status.at("sources").size(), status.at("commits")) << "a document may be longer than a block";
  finish();
  for (const std::string& other : {std::string(scratch_ / "reference"), work_, std::string(scratch_ / "in.jsonl")}) {
    const ProgramResult refused = run_spillway({"status", other});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find("is not the work directory of a resumable job"), std::string::npos) << refused.err;
  }
}

class ResumedMerges : public ResumedJobs {
 protected:
  void SetUp() override {
    Words parts;
    for (std::uint64_t part = 0; part < 7; ++part) {
      write_bytes(scratch_ / "part.jsonl", records(part + 1, 60));
      parts.push_back(scratch_ / ("part" + std::to_string(part)));
      const ProgramResult made =
          run_spillway({"index", scratch_ / "part.jsonl", "-o", parts.back(), "--max-error-rate", "1", "--positions"});
      ASSERT_EQ(made.exit_code, 0) << made.err;
    }
    write_bytes(scratch_ / "drop", "id0-0\nid7919-1\nnone\n");
    set_job(with(with({"merge"}, parts), {"--fan-in", "2", "--threads", "2", "--drop", scratch_ / "drop"}));
  }
};

TEST_F(ResumedMerges, GiveTheSameBytesAfterKillsAtManyMoments) {
  std::uint64_t most_steps = 0;
  for (int i = 0; i < 16; ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(stop_at(0.95 * (i + 0.5) / 16).signal, SIGKILL);
    finish();
    most_steps = std::max<std::uint64_t>(most_steps, report().at("resumed_steps"));
  }
  EXPECT_GE(most_steps, 3U);
}

TEST_F(ResumedMerges, GoOnWithAnotherFanInAndRefuseOtherInputs) {
  ASSERT_EQ(stop_at(0.7).signal, SIGKILL);
  ASSERT_TRUE(has_commit());
  const json status = json::parse(run_spillway({"status", work_, "--json"}).out);
  EXPECT_GT(status.at("merge_steps"), 0);
  write_bytes(scratch_ / "drop", "other\n");
  const ProgramResult refused = run_spillway(resumable());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--drop was"), std::string::npos) << refused.err;
  write_bytes(scratch_ / "drop", "id0-0\nid7919-1\nnone\n");
  Words other = resumable();
  *(std::find(other.begin(), other.end(), "--fan-in") + 1) = "3";
  const ProgramResult next = run_spillway(other);
  ASSERT_EQ(next.exit_code, 0) << next.err;
  EXPECT_TRUE(same_index(expected_, output_));
}

}  // namespace
}  // namespace spillway
