// `plan --measured` cites the nearest job of a sweep.
#include "tools/report_page/measured_border.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using nlohmann::json;

json cell(const std::string& text, unsigned threads, std::uint64_t bytes, double times) {
  return {{"text", text},
          {"threads", threads},
          {"input_bytes", bytes},
          {"times_faster", {{"median", times}, {"least", times}, {"most", times}}}};
}

class MeasuredBorders : public ::testing::Test {
 protected:
  MeasuredBorder read(const json& report, std::uint64_t threads, std::uint64_t bytes) const {
    testing::write_bytes(path_, report.dump());
    return read_measured_border(files(), path_, threads, bytes);
  }
  static FileSystem& files() { return posix_file_system(); }
  static json sweep() {
    return {{"program", "spillway"},
            {"command", "bench modes --sweep"},
            {"commit", "abc"},
            {"date", "2026-01-02"},
            {"machine", {{"processor", "Some CPU"}, {"gpus", {{{"id", 0}, {"name", "Some GPU"}}}}}},
            {"options", {{"gpu_start_seconds", 0.3}, {"cost_cpu_per_hour", 1}, {"cost_gpu_per_hour", 2}}},
            {"cases",
             {cell("pages", 1, 1000, 0.5), cell("pages", 16, 1000, 0.75), cell("pages", 16, 64000, 1.5),
              cell("books", 16, 64000, 2)}},
            {"borders",
             {{{"text", "pages"}, {"threads", 16}, {"faster_from_bytes", 64000}, {"cheaper_from_bytes", nullptr}},
              {{"text", "books"}, {"threads", 16}, {"faster_from_bytes", 64000}, {"cheaper_from_bytes", 64000}}}}};
  }

  testing::ScratchDirectory scratch_;
  const std::string path_ = scratch_ / "sweep.json";
};

TEST_F(MeasuredBorders, CiteTheNearestJobOfEachText) {
  const MeasuredBorder border = read(sweep(), 12, 50000);
  ASSERT_EQ(border.jobs.size(), 2u);
  EXPECT_EQ(border.jobs[0].threads, 16u);
  EXPECT_EQ(border.jobs[0].input_bytes, 64000u);
  EXPECT_EQ(border.jobs[0].faster_from_bytes, 64000u);
  EXPECT_FALSE(border.jobs[0].cheaper_from_bytes);
  EXPECT_EQ(border.jobs[1].cheaper_from_bytes, 64000u);
  EXPECT_EQ(border.describe(),
            "measured (2026-01-02, Some GPU, bench modes --sweep; its sizes are of plain text in files, those of the "
            "input as stored)\n"
            "  pages: once its GPU had started (0.30 s), gpu+ was 1.50 times as fast as cpu+ over 64.0 KB with 16 "
            "threads; with the start it was faster from 64.0 KB on, and not cheaper at the largest size\n"
            "  books: once its GPU had started (0.30 s), gpu+ was 2.00 times as fast as cpu+ over 64.0 KB with 16 "
            "threads; with the start it was faster from 64.0 KB on, and cheaper from 64.0 KB on\n");
}

TEST_F(MeasuredBorders, SayNothingOfBordersThatTheReportLacks) {
  json report = sweep();
  report["borders"] = json::array();
  const std::string text = read(report, 12, 50000).describe();
  EXPECT_NE(text.find("; the report has no border for these threads\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("largest size"), std::string::npos) << text;
}

TEST_F(MeasuredBorders, WarnOfAnotherMachine) {
  const MeasuredBorder border = read(sweep(), 12, 50000);
  const nlohmann::ordered_json same{{"processor", "Some CPU"}, {"gpus", {{{"name", "Some GPU"}}}}};
  EXPECT_EQ(border.warning(same), "");
  nlohmann::ordered_json other = same;
  other["gpus"] = nlohmann::ordered_json::array();
  EXPECT_EQ(border.warning(other),
            "the sweep ran on another machine: Some CPU and Some GPU; this one has Some CPU and no GPU");
  other = same;
  other["processor"] = "Another CPU";
  EXPECT_NE(border.warning(other).find("Another CPU"), std::string::npos);
}

TEST_F(MeasuredBorders, NameTheGpuThatTheSweepUsed) {
  json report = sweep();
  report["machine"]["gpus"].push_back({{"id", 1}, {"name", "Second GPU"}});
  EXPECT_EQ(read(report, 1, 1).gpu, "Some GPU");
  report["options"]["gpu"] = 1;
  EXPECT_EQ(read(report, 1, 1).gpu, "Second GPU");
}

TEST_F(MeasuredBorders, PrintNoControlCharactersOfTheFile) {
  json report = sweep();
  report["date"] = "\x1b[31m";
  report["machine"]["gpus"][0]["name"] = "a\nb";
  report["cases"][0]["text"] = "\x1b]0;x";
  const MeasuredBorder border = read(report, 1, 1000);
  for (const std::string& text : {border.describe(), border.warning({{"processor", "x"}, {"gpus", json::array()}})}) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find("a\nb"), std::string::npos) << text;
  }
}

TEST_F(MeasuredBorders, RefuseImpossibleNumbers) {
  for (const double times : {0.0, -1.0, 1e7}) {
    json report = sweep();
    report["cases"][0] = cell("pages", 1, 1000, times);
    EXPECT_THROW(read(report, 1, 1), FormatError) << times;
  }
  for (const char* member : {"threads", "input_bytes"}) {
    for (const double value : {1.5, 0.0, -1.0, 1e19}) {
      json report = sweep();
      report["cases"][0][member] = value;
      EXPECT_THROW(read(report, 1, 1), FormatError) << member << " " << value;
    }
  }
  json report = sweep();
  report["borders"][0]["faster_from_bytes"] = 0.5;
  EXPECT_THROW(read(report, 16, 64000), FormatError);
}

TEST_F(MeasuredBorders, GoByThreadsBeforeSize) {
  const MeasuredBorder border = read(sweep(), 1, 64000);
  EXPECT_EQ(border.jobs[0].threads, 1u);
  EXPECT_EQ(border.jobs[0].input_bytes, 1000u);
  EXPECT_FALSE(border.jobs[0].has_border) << "there is none for one thread";
}

TEST_F(MeasuredBorders, RefuseOtherReportsAndSweepsWithoutAGpu) {
  json other = sweep(), without = sweep();
  other["command"] = "bench modes";
  EXPECT_THROW(read(other, 1, 1), FormatError);
  for (json& one : without["cases"]) one["times_faster"] = nullptr;
  try {
    read(without, 1, 1);
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("run `bench modes --sweep --json FILE` where one can be used"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace spillway
