// tools/check_includes over small trees of sources: each kind of offence is found, in CUDA sources too.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::ScratchDirectory;

ProgramResult check(const std::string& directory) {
  return testing::run_program({testing::source_directory() + "/tools/check_includes", directory}, {});
}

class CheckIncludes : public ::testing::Test {
 protected:
  CheckIncludes() { write("io/file/reader.hpp", ""); }
  // `includes`: with their quotes, one a line.
  void write(const std::string& path, const std::string& includes) {
    const std::filesystem::path whole = scratch_ / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream out(whole);
    std::istringstream lines(includes);
    for (std::string line; std::getline(lines, line);) out << "#include " << line << "\n";
  }
  void expect_clean() {
    const ProgramResult result = check(scratch_.path());
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  }
  void expect_offence(const std::string& words) {
    const ProgramResult result = check(scratch_.path());
    EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
    EXPECT_NE(result.out.find(words), std::string::npos) << result.out << result.err;
  }
  ScratchDirectory scratch_;
};

TEST_F(CheckIncludes, FindsNothingInTheCheckout) {
  const ProgramResult result = check(testing::source_directory());
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST_F(CheckIncludes, AllowsLowerFloorsAndSystemHeaders) {
  write("merge/run.cpp", "<vector>\n\"io/file/reader.hpp\"\n");
  write("sort/gpu/sorter.cu", "<cub/cub.cuh>\n\"io/file/reader.hpp\"\n");
  expect_clean();
}

TEST_F(CheckIncludes, FindsAnArrowThatPointsUp) {
  write("sort/gpu/sorter.cuh", "");
  write("io/file/reader.cpp", "\"sort/gpu/sorter.cuh\"\n");
  expect_offence("io/file/reader.cpp includes sort/gpu/sorter.cuh: io/ may include nothing");
  write("io/file/reader.cpp", "");
  write("indexer/job.hpp", "");
  write("sort/gpu/sorter.cu", "\"indexer/job.hpp\"\n");
  expect_offence("sort/gpu/sorter.cu includes indexer/job.hpp");
}

// A unit is a header with its sources: none of these files includes the other's file back.
TEST_F(CheckIncludes, FindsACycleBetweenUnitsOfCudaSources) {
  write("sort/gpu/a.cuh", "");
  write("sort/gpu/a.cu", "\"sort/gpu/b.cuh\"\n");
  write("sort/gpu/b.cuh", "\"sort/gpu/c.cuh\"\n");
  write("sort/gpu/c.cuh", "");
  write("sort/gpu/c.cu", "\"sort/gpu/a.cuh\"\n");
  expect_offence("sort/gpu/c.cu includes sort/gpu/a.cuh");
}

TEST_F(CheckIncludes, FindsACycleBetweenRooms) {
  write("sort/gpu/merge/a.cuh", "\"sort/gpu/radix/a.cuh\"\n");
  write("sort/gpu/merge/b.cuh", "");
  write("sort/gpu/radix/a.cuh", "");
  write("sort/gpu/radix/b.cu", "\"sort/gpu/merge/b.cuh\"\n");
  expect_offence("a cycle between rooms");
}

// Includes that do not name a header by its path from the root would hide an arrow.
TEST_F(CheckIncludes, FindsIncludesThatItCouldNotFollow) {
  write("sort/plan.hpp", "");
  write("sort/plan.inl", "");
  for (const char* include : {"\"../../sort/plan.hpp\"", "\"reader.hpp\"", "\"io/../sort/plan.hpp\"", "<sort/plan.hpp>",
                              "\"tests/support/faults.hpp\"", "\"io/file/none.hpp\"", "PLAN_HEADER"}) {
    write("io/file/reader.cpp", std::string(include) + "\n");
    expect_offence("io/file/reader.cpp includes ");
  }
  std::ofstream(scratch_ / "io/file/reader.cpp") << "#include \\\n\"sort/plan.hpp\"\n";
  expect_offence("io/file/reader.cpp includes sort/plan.hpp: io/ may include nothing");
  write("io/file/reader.cpp", "");
  write("sort/plan.hpp", "\"sort/plan.inl\"\n");
  expect_offence("sort/plan.hpp includes sort/plan.inl");
}

TEST_F(CheckIncludes, FindsCudaOutsideOfTheRoomsOfTheGpu) {
  for (const char* header : {"cuda_runtime.h", "cub/cub.cuh", "thrust/sort.h", "nvml.h", "cooperative_groups.h"}) {
    write("indexer/job.cpp", "<" + std::string(header) + ">\n");
    expect_offence(std::string("indexer/job.cpp includes ") + header + ": CUDA");
  }
}

}  // namespace
}  // namespace spillway
