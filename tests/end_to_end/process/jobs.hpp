// Real `index` and `merge` jobs over one small corpus, whose result under limits of the system is either the right
// index or an error with nothing left behind.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/end_to_end/indexing.hpp"
#include "tests/support/run_program.hpp"

namespace spillway::testing {

class ProcessJobs : public ::testing::Test {
 protected:
  using Words = std::vector<std::string>;

  void SetUp() override {
    for (const char* name : {"temp", "place"}) std::filesystem::create_directory(scratch_ / name);
    RandomDocuments shape;
    shape.count = 300;
    shape.words = 100;
    shape.long_document_words = 400;
    std::string whole;
    for (std::uint64_t part = 0; part < 2; ++part) {
      const std::string lines = lines_of(as_lines(random_documents(part + 1, shape)));
      whole += lines;
      write_bytes(scratch_ / "lines", lines);
      parts_.push_back(scratch_ / ("part" + std::to_string(part)));
      const ProgramResult made = run_spillway({"index", scratch_ / "lines", "--format", "lines", "-o", parts_.back()});
      ASSERT_EQ(made.exit_code, 0) << made.err;
    }
    write_bytes(scratch_ / "lines", whole);
    const ProgramResult made = run_spillway(index_words());
    ASSERT_EQ(made.exit_code, 0) << made.err;
    expected_ = bytes_of(output_);
    std::filesystem::remove_all(output_);
  }

  // Jobs that spill runs.
  Words index_words() const {
    return {"index", scratch_ / "lines", "--format", "lines",     "-o", output_,         "--temp-dir",
            temp_,   "--memory",         "96M",      "--threads", "2",  "--block-bytes", "1500"};
  }
  Words merge_words() const {
    return {"merge", parts_[0], parts_[1], "-o", output_, "--temp-dir", temp_, "--memory", "96M", "--threads", "2"};
  }

  // The words that a message has, by exit code.
  using Refusals = std::map<int, std::string>;
  // The job succeeded with the right bytes, or failed as one of `refusals` says, and left nothing. Returns whether it
  // succeeded; removes the output.
  bool check_end(const ProgramResult& result, const Refusals& refusals) {
    EXPECT_FALSE(std::filesystem::exists(output_ + ".work"));
    EXPECT_TRUE(std::filesystem::is_empty(scratch_ / "temp"));
    if (result.exit_code == 0) {
      EXPECT_TRUE(same_index(expected_, output_));
      std::filesystem::remove_all(output_);
    } else {
      const auto refusal = refusals.find(result.exit_code);
      const bool is_known = refusal != refusals.end() && result.err.find(refusal->second) != std::string::npos;
      EXPECT_TRUE(is_known) << "code " << result.exit_code << ", signal " << result.signal << ": " << result.err;
    }
    EXPECT_TRUE(std::filesystem::is_empty(scratch_ / "place"));
    return result.exit_code == 0;
  }

  ScratchDirectory scratch_;
  std::string output_ = scratch_ / "place/out", temp_ = scratch_ / "temp";
  Words parts_;
  std::map<std::string, std::string> expected_;
};

}  // namespace spillway::testing
