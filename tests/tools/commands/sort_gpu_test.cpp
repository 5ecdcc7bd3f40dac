// `spillway sort` with a GPU, and without one where it is asked for; `spillway plan --sort`.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>

#include "sort/gpu/device/status.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_spillway;
using testing::ScratchDirectory;
using Words = std::vector<std::string>;

bool has_gpu() { return find_gpus().state == GpuState::kUsable; }

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class SortWithoutGpu : public ::testing::Test {
 protected:
  SortWithoutGpu() { std::ofstream(in_) << "b\na\n"; }
  ScratchDirectory scratch_;
  std::string in_ = scratch_ / "in";
};

TEST_F(SortWithoutGpu, NamesTheRemedyIfOneIsAskedFor) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  for (const Words& words :
       {Words{"--gpu", "0"}, Words{"--sorter", "gpu-string-radix"}, Words{"--sorter=hybrid-msd"}}) {
    const ProgramResult refused = run_spillway(joined({"sort", in_}, words));
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_NE(refused.err.find("choose --sorter auto and --gpu auto"), std::string::npos) << refused.err;
  }
  EXPECT_EQ(run_spillway({"sort", in_, "--gpu", "auto"}).out, "a\nb\n");
}

TEST_F(SortWithoutGpu, IsWhatNeverMeans) {
  EXPECT_EQ(run_spillway({"sort", in_, "--gpu", "never"}).out, "a\nb\n");
  const ProgramResult refused = run_spillway({"sort", in_, "--gpu", "never", "--sorter", "gpu-string-merge"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("needs a GPU"), std::string::npos) << refused.err;
}

TEST_F(SortWithoutGpu, TellsItsPlan) {
  const ProgramResult plan = run_spillway({"plan", "--sort", "--memory", "64M", "--parallel", "2", "-r", in_});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_TRUE(plan.out.starts_with("memory: 64.0 MiB")) << plan.out;
  for (const char* const part : {"\nthreads: 2\n", "\ninput: 4 B\n", "\nruns: none", "\nsorter: ", "\ngpu: none: "}) {
    EXPECT_NE(plan.out.find(part), std::string::npos) << plan.out;
  }
}

class GpuSortCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_gpu()) GTEST_SKIP() << find_gpus().detail;
    std::ofstream file(in_, std::ios::binary);
    for (std::uint32_t i = 0; i != 300000; ++i) {
      file << "usr/share/" << i * 2654435761u % 77777 << (i % 3 == 0 ? "\tb " : "/a ") << i % 1000 << '\n';
    }
    file << "the last one, without an end";
  }
  // Expects the bytes of the CPU from a GPU.
  void expect_same(const Words& order, const Words& on_gpu) const {
    const ProgramResult expected = run_spillway(joined({"sort", in_, "--gpu", "never"}, order));
    const ProgramResult found = run_spillway(joined(joined({"sort", in_, "--memory", "1G"}, on_gpu), order));
    EXPECT_EQ(found.exit_code, 0);
    EXPECT_EQ(found.err, "");
    EXPECT_TRUE(found.out == expected.out) << ::testing::PrintToString(joined(order, on_gpu));
  }
  ScratchDirectory scratch_;
  std::string in_ = scratch_ / "in";
};

TEST_F(GpuSortCommand, GivesTheBytesOfTheCpu) {
  for (const Words& order : {Words{}, Words{"-r"}, Words{"-u"}, Words{"-ru"}, Words{"-s"}}) {
    expect_same(order, {"--gpu", "0"});
    expect_same(order, {"--gpu", "0", "--gpu-memory", "600M"});
  }
  expect_same({}, {"--sorter", "gpu-string-merge"});
}

TEST_F(GpuSortCommand, GivesTheBytesOfTheCpuForEveryKey) {
  for (const Words& order :
       {Words{"-k2"}, Words{"-k2,2n", "-s"}, Words{"-k1,1", "-u"}, Words{"-f", "-r"}, Words{"-V"}}) {
    for (const char* const sorter : {"gpu-string-radix", "gpu-string-merge", "hybrid-msd"}) {
      expect_same(order, {"--sorter", sorter});
    }
  }
  expect_same({"-k2"}, {"--sorter", "gpu-string-radix", "--block-bytes", "16M"});
}

}  // namespace
}  // namespace spillway
