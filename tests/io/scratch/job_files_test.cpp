#include "io/scratch/job_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/format/index.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::FaultKind;
using testing::FaultyFileSystem;
using testing::ScratchDirectory;
namespace fs = std::filesystem;

// Large ones, which threads remove at the same time, and small ones.
TEST(RemoveJobFiles, RemovesAllFilesOfAnIndex) {
  const ScratchDirectory scratch;
  fs::create_directories(scratch / "out.work/index");
  for (const std::string_view name : kSectionNames) {
    const std::string path = scratch / "out.work/index/" + std::string(name);
    std::ofstream(path) << "x";
    if (name != "terms") fs::resize_file(path, std::uintmax_t{65} << 20);  // takes no space
  }
  remove_job_files(posix_file_system(), scratch / "out.work");
  EXPECT_TRUE(fs::is_empty(scratch / "out.work"));
}

// Whatever call fails first, an error says so, and another call removes what is left: one file where its removal
// failed, since the other threads go on.
TEST(RemoveJobFiles, GoesOnAfterAnErrorOfAnyThread) {
  std::uint64_t failed = 0;
  std::size_t failed_removals = 0;
  for (bool fired = true; fired; failed += fired ? 1 : 0) {
    FaultyFileSystem files;
    files.make_directory("out.work");
    files.make_directory("out.work/index");
    for (const std::string_view name : kSectionNames) files.put("out.work/index/" + std::string(name), "x");
    files.inject({.kind = FaultKind::kIoError, .at = failed});
    bool has_thrown = false;
    try {
      remove_job_files(files, "out.work", 0);
    } catch (const IoError&) {
      has_thrown = true;
    }
    fired = files.faults_fired() != 0;
    EXPECT_EQ(has_thrown, fired);
    files.inject({});
    const std::size_t left = files.status("out.work/index") ? files.list("out.work/index").size() : 0;
    EXPECT_TRUE(left == kSectionNames.size() || left <= 1) << left;
    failed_removals += left == 1 ? 1 : 0;
    remove_job_files(files, "out.work", 0);
    EXPECT_EQ(files.all_paths(), (std::vector<std::string>{"/job", "/job/out.work"}));
  }
  EXPECT_EQ(failed_removals, kSectionNames.size());
}

}  // namespace
}  // namespace spillway
