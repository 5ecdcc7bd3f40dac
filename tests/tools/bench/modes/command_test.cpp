// `bench modes` and its parts.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "corpora/synthetic/generate_text.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/memory/budget.hpp"
#include "io/scratch/owned_directory.hpp"
#include "sort/gpu/device/status.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/running_program.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tools/bench/modes/measure.hpp"
#include "tools/bench/modes/parsing.hpp"
#include "tools/bench/modes/timed_reads.hpp"

namespace spillway {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::run_spillway;
using testing::ScratchDirectory;

class BenchModes : public ::testing::Test {
 protected:
  BenchModes() {
    std::ofstream file(path());
    GenerateTextOptions options;
    options.documents = 2000;
    generate_text(options, [&](std::string_view fragment) { file << fragment; });
  }
  std::string path() const { return scratch_ / "in.jsonl"; }
  ProgramResult bench(const std::vector<std::string>& words) const {
    std::vector<std::string> all{"bench",     "modes", path(),     "--scratch", scratch_.path(),
                                 "--threads", "2",     "--memory", "300M"};
    all.insert(all.end(), words.begin(), words.end());
    return run_spillway(all);
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(scratch_.path()), {}));
  }
  ScratchDirectory scratch_;
};

TEST_F(BenchModes, MeasuresModesAndParsingAndLeavesNothing) {
  const ProgramResult result = bench({"--modes", "cpu,cpu+", "--rounds", "2", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(entries(), 1u) << "indexes and scratch files are removed";
  const json report = json::parse(result.out);
  EXPECT_EQ(report.at("input").at("documents"), 2000);
  EXPECT_EQ(report.at("input").at("bytes"), std::filesystem::file_size(path()));
  ASSERT_EQ(report.at("parsing_alone").size(), 1u);
  EXPECT_EQ(report.at("parsing_alone").at(0).at("wall_seconds").at("rounds").size(), 2u);
  EXPECT_EQ(report.at("parsing_alone").at(0).at("chunk_form"), "tables");
  ASSERT_EQ(report.at("cases").size(), 2u);
  for (const json& mode : report.at("cases")) {
    EXPECT_EQ(mode.at("chunk_form"), "postings");
    EXPECT_EQ(mode.at("wall_seconds").at("rounds").size(), 2u);
    EXPECT_EQ(mode.at("ingest_to_parsing").at("tables").at("rounds").size(), 2u);
    std::vector<std::string> stages;
    for (const json& stage : mode.at("stages")) stages.push_back(stage.at("name"));
    for (const char* name : {"read", "parse", "sort", "encode", "spill", "merge", "write"}) {
      EXPECT_NE(std::find(stages.begin(), stages.end(), name), stages.end()) << name;
    }
    EXPECT_EQ(mode.at("stages").at(0).at("name"), "read");
    EXPECT_GE(mode.at("stages").at(0).at("bytes"), std::filesystem::file_size(path()));
    for (const double ingest : mode.at("ingest_seconds").at("rounds")) EXPECT_GT(ingest, 0);
  }
}

TEST_F(BenchModes, RemovesWhatAKilledBenchmarkLeft) {
  std::filesystem::path left = OwnedDirectory::make_scratch(posix_file_system(), scratch_.path())->path();
  std::filesystem::create_directories(left / "index.work/index");
  std::ofstream(left / "index.work/index/postings") << "x";
  std::ofstream(left / "spillway-text.jsonl") << "x";
  const ProgramResult result = bench({"--modes", "cpu+", "--rounds", "1", "--skip-parsing"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(BenchModes, ShowsATableAndTakesTheOptionsOfIndex) {
  const ProgramResult result = bench({"--modes", "cpu+", "--rounds", "1", "--skip-parsing", "--positions",
                                      "--record-sorter", "cpu-radix", "--block-bytes", "1M"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("M postings/s"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("parsing alone, to"), std::string::npos) << result.out;
}

TEST_F(BenchModes, GivesOneModeSortersAndThreadsOfItsOwn) {
  const ProgramResult result =
      bench({"--modes", "cpu:cpu-quick@1,cpu:cpu-quick,cpu+", "--rounds", "1", "--skip-parsing", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json modes = json::parse(result.out).at("cases");
  ASSERT_EQ(modes.size(), 3u);
  EXPECT_EQ(modes[0].at("mode"), "cpu:cpu-quick@1");
  EXPECT_EQ(modes[0].at("record_sorter"), "cpu-quick");
  EXPECT_EQ(modes[0].at("threads"), 1);
  EXPECT_EQ(modes[0].at("chunk_form"), "tables");
  EXPECT_EQ(modes[1].at("threads"), 2);
  EXPECT_EQ(modes[1].at("record_sorter"), "cpu-quick");
  EXPECT_EQ(modes[2].at("record_sorter"), "auto");
  EXPECT_EQ(modes[2].at("chunk_form"), "postings");
  for (const json& mode : modes) {
    EXPECT_NEAR(
        mode.at("ingest_seconds").at("median").get<double>() + mode.at("rest_seconds").at("median").get<double>(),
        mode.at("wall_seconds").at("median").get<double>(), 1e-6);
  }
}

TEST_F(BenchModes, NamesTheFormThatParsingAloneMakes) {
  const ProgramResult result = bench({"--modes", "cpu+", "--rounds", "1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("parsing alone, to tables: "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("  times parsing to tables "), std::string::npos) << result.out;
}

TEST_F(BenchModes, ComparesModesWithTheFirst) {
  const ProgramResult result = bench({"--modes", "cpu@1,cpu+", "--rounds", "1", "--skip-parsing"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::size_t row = result.out.find("times faster");
  ASSERT_NE(row, std::string::npos) << result.out;
  EXPECT_NE(result.out.substr(row, result.out.find('\n', row) - row).find("1.00"), std::string::npos) << result.out;
}

TEST_F(BenchModes, RefusesWhatItCannotMeasure) {
  EXPECT_EQ(run_spillway({"bench", "modes", "-"}).exit_code, 2);
  EXPECT_NE(bench({"--mode", "cpu"}).err.find("--modes NAMES"), std::string::npos);
  EXPECT_NE(bench({"--modes", "cpu,gpux"}).err.find("--modes 'gpux'"), std::string::npos);
  EXPECT_NE(bench({"--modes", "auto"}).err.find("--modes 'auto'"), std::string::npos);
  EXPECT_NE(bench({"--modes", "cpu:@1"}).err.find("--modes 'cpu"), std::string::npos);
  EXPECT_NE(bench({"--modes", "cpu@0"}).err.find("--threads"), std::string::npos);
  EXPECT_NE(bench({"--modes", "cpu:quick"}).err.find("--record-sorter 'quick'"), std::string::npos);
  EXPECT_EQ(bench({"--scratch", scratch_ / "missing"}).exit_code, 2);
  if (find_gpus().state != GpuState::kUsable) {
    EXPECT_EQ(bench({"--modes", "gpu+"}).exit_code, 6);
    EXPECT_EQ(bench({"--require-gpu"}).exit_code, 6);
    EXPECT_EQ(bench({"--modes", "cpu", "--gpu", "0"}).exit_code, 6);
  }
  EXPECT_EQ(entries(), 1u);
}

TEST_F(BenchModes, TakesAsManyBadRecordsAsItIsTold) {
  std::ofstream(path()) << "{\"id\":\"1\",\"text\":\"a word\"}\nno record\n";
  EXPECT_EQ(bench({"--modes", "cpu", "--rounds", "1", "--format", "jsonl"}).exit_code, 3);
  const ProgramResult result =
      bench({"--modes", "cpu", "--rounds", "1", "--format", "jsonl", "--max-error-rate", "0.5", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out).at("input").at("documents"), 1);
}

// Without a GPU there are times of cpu+ and no border; the cost counts all the same.
TEST_F(BenchModes, SweepsOverTextsSizesAndThreads) {
  const std::string file = scratch_ / "sweep.json";
  const ProgramResult result = run_spillway({"bench", "modes", "--sweep", "--texts", "pages", "--sizes", "200KB,100KB",
                                             "--sweep-threads", "1,2", "--rounds", "1", "--cost-cpu", "0.5", "--memory",
                                             "300M", "--scratch", scratch_.path(), "--json", file});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(testing::read_bytes(file));
  ASSERT_EQ(report.at("cases").size(), 4u);
  std::vector<std::pair<std::uint64_t, unsigned>> jobs;
  for (const json& cell : report.at("cases")) {
    jobs.emplace_back((cell.at("input_bytes").get<std::uint64_t>() + 50'000) / 100'000,
                      cell.at("threads").get<unsigned>());
    EXPECT_GT(cell.at("modes").at(0).at("gigabytes_per_money").get<double>(), 0);
  }
  EXPECT_EQ(jobs, (decltype(jobs){{1, 1}, {1, 2}, {2, 1}, {2, 2}}));
  const bool has_gpu = find_gpus().state == GpuState::kUsable;
  EXPECT_EQ(report.at("borders").size(), has_gpu ? 2u : 0u);
  const ProgramResult page = run_spillway({"bench", "report", file, "-o", "-"});
  EXPECT_EQ(page.exit_code, 0) << page.err;
  EXPECT_NE(page.out.find("pages, 2 threads"), std::string::npos);
  const ProgramResult plan = run_spillway({"plan", "--measured", file, path()});
  EXPECT_EQ(plan.exit_code, has_gpu ? 0 : 5) << plan.err;
}

// The sweep of pages, with its table in a file.
std::vector<std::string> long_sweep(const std::string& scratch, const std::string& table, const std::string& report) {
  std::string threads = "1";
  for (int i = 2; i <= 64; ++i) threads += "," + std::to_string(i);
  return {"/bin/sh",
          "-c",
          "table=$1; shift; exec \"$@\" >\"$table\"",
          "sh",
          table,
          testing::program_path(),
          "bench",
          "modes",
          "--sweep",
          "--texts",
          "pages",
          "--sizes",
          "100KB",
          "--sweep-threads",
          threads,
          "--rounds",
          "5",
          "--memory",
          "300M",
          "--scratch",
          scratch,
          "--json",
          report};
}

TEST_F(BenchModes, KeepsWhatAnInterruptedSweepHasMeasured) {
  const std::string file = scratch_ / "sweep.json", table = scratch_ / "table";
  testing::RunningProgram program(long_sweep(scratch_.path(), table, file), scratch_ / "messages");
  const auto has_a_cell = [&] {
    return std::filesystem::exists(table) && testing::read_bytes(table).find("\n  pages  ") != std::string::npos;
  };
  while (!has_a_cell() && !program.has_ended()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait().signal, SIGINT) << "it ended before the signal";
  const json report = json::parse(testing::read_bytes(file));
  EXPECT_GE(report.at("cases").size(), 1u);
  EXPECT_LT(report.at("cases").size(), 64u);
  EXPECT_EQ(entries(), 4u) << "the input, the report, the table and the messages";
}

// The second text is above the limit for a file.
TEST_F(BenchModes, KeepsWhatAFailedSweepHasMeasured) {
  const std::string file = scratch_ / "sweep.json";
  testing::ProgramSetting setting;
  setting.limits = {{RLIMIT_FSIZE, 2'000'000}};
  const ProgramResult result =
      run_spillway({"bench", "modes", "--sweep", "--texts", "pages", "--sizes", "100KB,8MB", "--sweep-threads", "1",
                    "--rounds", "1", "--memory", "300M", "--scratch", scratch_.path(), "--json", file},
                   setting);
  EXPECT_EQ(result.exit_code, 2) << result.err << result.out;
  EXPECT_EQ(json::parse(testing::read_bytes(file)).at("cases").size(), 1u);
  EXPECT_EQ(entries(), 2u) << "the input, and the report";
}

TEST_F(BenchModes, SweepsOnceOverEachSizeAndNumberOfThreads) {
  const ProgramResult result =
      run_spillway({"bench", "modes", "--sweep", "--texts", "pages", "--sizes", "100KB,100KB", "--sweep-threads",
                    "2,1,2", "--rounds", "1", "--memory", "300M", "--scratch", scratch_.path(), "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::vector<int> threads;
  const json report = json::parse(result.out);
  for (const json& one : report.at("cases")) threads.push_back(one.at("threads"));
  EXPECT_EQ(threads, (std::vector<int>{1, 2}));
}

TEST_F(BenchModes, SweepsByDefaultUpToAllThreads) {
  const ProgramResult result =
      run_spillway({"bench", "modes", "--sweep", "--texts", "pages", "--sizes", "100KB", "--rounds", "1", "--memory",
                    "300M", "--scratch", scratch_.path(), "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report.at("cases").front().at("threads"), 1);
  EXPECT_EQ(report.at("cases").back().at("threads"), report.at("machine").at("usable_threads"));
}

TEST_F(BenchModes, SaysWhatASweepDoesNotTake) {
  const auto sweep = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"bench", "modes"});
    return run_spillway(words);
  };
  EXPECT_NE(sweep({"--sweep", path()}).err.find("give no INPUT"), std::string::npos);
  EXPECT_NE(sweep({"--sweep", "--modes", "cpu"}).err.find("--modes"), std::string::npos);
  EXPECT_NE(sweep({"--sweep", "--format", "lines"}).err.find("--format is in vain"), std::string::npos);
  EXPECT_NE(sweep({"--sweep", "--skip-parsing"}).err.find("--skip-parsing is in vain"), std::string::npos);
  for (const char* cost : {"0", "1e-7", "1e10"}) {
    EXPECT_NE(sweep({"--sweep", "--cost-cpu", cost}).err.find("--cost-cpu '"), std::string::npos) << cost;
  }
  EXPECT_NE(sweep({"--sweep", "--texts", "pages", "--sizes", "1GB,10"}).err.find("hold no document of pages"),
            std::string::npos);
  EXPECT_NE(sweep({"--cost-gpu", "1", path()}).err.find("--sweep"), std::string::npos);
  const ProgramResult nothing = sweep({});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_NE(nothing.err.find("INPUT"), std::string::npos);
}

TEST_F(BenchModes, ParsingAloneReadsAllDocuments) {
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const IndexContext context{posix_file_system(), signal_number, progress, [](const std::string&) {},
                             [](const std::string&) {}};
  IndexOptions options;
  options.inputs = {path()};
  options.memory_bytes = std::uint64_t{300} << 20;
  options.threads = 3;
  options.block_bytes = std::uint64_t{1} << 20;
  const ParsingStats stats = parse_alone(options, scratch_.path(), context);
  EXPECT_EQ(stats.documents, 2000u);
  EXPECT_GT(stats.occurrences, 500'000u);
  EXPECT_GT(stats.blocks, 1u);
  EXPECT_EQ(entries(), 1u);
  signal_number = 2;
  EXPECT_THROW(parse_alone(options, scratch_.path(), context), InterruptedError);
}

TEST(BenchPeak, IsCountedAnew) {
  constexpr std::size_t kBytes = std::size_t{96} << 20;
  MemoryBudget budget(kBytes);
  {
    Buffer buffer(budget, kBytes, "a peak");
    std::memset(buffer.data(), 1, buffer.size());
  }
  const std::size_t before = peak_resident_bytes();
  if (!reset_peak_resident_bytes()) GTEST_SKIP() << "the system does not allow it";
  EXPECT_LE(peak_resident_bytes(), before - kBytes / 2);
}

TEST(TimedReads, CountsWhatIsReadOutsideOfOwnDirectories) {
  const ScratchDirectory scratch;
  std::filesystem::create_directory(scratch / "own");
  std::ofstream(scratch / "input") << "twelve bytes";
  std::ofstream(scratch / "own/run") << "not counted";
  ReadTimes times;
  const auto files = make_timed_reads(posix_file_system(), {scratch / "own"}, times);
  EXPECT_EQ(read_file(*files, scratch / "input"), "twelve bytes");
  EXPECT_EQ(times.bytes.load(), 12u);
  EXPECT_EQ(read_file(*files, scratch / "own/run"), "not counted");
  EXPECT_EQ(times.bytes.load(), 12u);
}

}  // namespace
}  // namespace spillway
