#include "indexer/job/output.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/format/index.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

namespace fs = std::filesystem;

class JobOutput : public ::testing::Test {
 protected:
  // Makes a directory with a manifest, which makes it an index.
  std::string make_index(const std::string& name) {
    fs::create_directories(scratch_ / name);
    std::ofstream(scratch_ / name + "/manifest") << kManifestMagic << " and more";
    return scratch_ / name;
  }
  std::string refusal(const std::string& output, IfOutputExists if_exists) {
    try {
      check_output(posix_file_system(), output, if_exists);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
  const testing::ScratchDirectory scratch_;
};

TEST_F(JobOutput, IsNotReplacedUnlessItIsAnIndexAndThatIsAskedFor) {
  const std::string index = make_index("index");
  fs::create_directories(scratch_ / "other");
  EXPECT_EQ(refusal(scratch_ / "new", IfOutputExists::kRefuse), "");
  EXPECT_NE(refusal(index, IfOutputExists::kRefuse).find("--force"), std::string::npos);
  EXPECT_EQ(refusal(index, IfOutputExists::kReplace), "");
  EXPECT_NE(refusal(scratch_ / "other", IfOutputExists::kReplace).find("no Spillway index"), std::string::npos);
}

TEST_F(JobOutput, IsNotInsideAnIndex) {
  const std::string index = make_index("index");
  fs::create_directories(index + "/below");
  fs::create_directory_symlink(index, scratch_ / "link");
  for (const IfOutputExists if_exists : {IfOutputExists::kRefuse, IfOutputExists::kReplace}) {
    for (const std::string inner : {"/inner", "/below/inner", "/not/yet/there", "//inner/"}) {
      EXPECT_NE(refusal(index + inner, if_exists).find("is inside the index " + index), std::string::npos) << inner;
      EXPECT_NE(refusal(scratch_ / "link" + inner, if_exists), "") << inner;
    }
    EXPECT_EQ(refusal(scratch_ / "index-2", if_exists), "");
  }
}

}  // namespace
}  // namespace spillway
