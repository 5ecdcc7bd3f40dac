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
            {"machine", {{"gpus", {{{"name", "Some GPU"}}}}}},
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
            "measured (2026-01-02, Some GPU, bench modes --sweep)\n"
            "  pages: gpu+ was 1.50 times as fast as cpu+ over 64.0 KB with 16 threads; it was faster from 64.0 KB on\n"
            "  books: gpu+ was 2.00 times as fast as cpu+ over 64.0 KB with 16 threads; it was faster from 64.0 KB on, "
            "and cheaper from 64.0 KB on\n");
}

TEST_F(MeasuredBorders, GoByThreadsBeforeSize) {
  const MeasuredBorder border = read(sweep(), 1, 64000);
  EXPECT_EQ(border.jobs[0].threads, 1u);
  EXPECT_EQ(border.jobs[0].input_bytes, 1000u);
  EXPECT_FALSE(border.jobs[0].faster_from_bytes) << "there is no border for one thread";
}

TEST_F(MeasuredBorders, RefuseOtherReportsAndSweepsWithoutAGpu) {
  json other = sweep(), without = sweep();
  other["command"] = "bench modes";
  EXPECT_THROW(read(other, 1, 1), FormatError);
  for (json& one : without["cases"]) one["times_faster"] = nullptr;
  EXPECT_THROW(read(without, 1, 1), FormatError);
}

}  // namespace
}  // namespace spillway
