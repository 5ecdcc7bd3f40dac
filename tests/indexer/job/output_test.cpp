#include "indexer/job/output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/format/index.hpp"
#include "io/index/manifest.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

namespace fs = std::filesystem;

class JobOutput : public ::testing::Test {
 protected:
  // Makes a directory with a manifest, which makes it an index.
  std::string make_index(const std::string& name) {
    fs::create_directories(scratch_ / name);
    std::ofstream(scratch_ / name + "/manifest") << Manifest().serialize();
    std::ofstream(scratch_ / name + "/postings") << "x";
    return scratch_ / name;
  }
  void expect_not_replaced(const std::string& output, const std::string& words) {
    EXPECT_NE(refusal(output, IfOutputExists::kReplace).find(words), std::string::npos)
        << refusal(output, IfOutputExists::kReplace);
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

TEST_F(JobOutput, IsReplacedOnlyIfItProvesToBeAnIndex) {
  const std::string index = make_index("index");
  EXPECT_EQ(refusal(index, IfOutputExists::kReplace), "");
  fs::create_directory(scratch_ / "forged");
  std::ofstream(scratch_ / "forged/manifest") << kManifestMagic << " and more";
  expect_not_replaced(scratch_ / "forged", "damaged manifest");
  std::string bytes = Manifest().serialize();
  bytes[40] = static_cast<char>(bytes[40] ^ 1);
  std::ofstream(index + "/manifest") << bytes;
  expect_not_replaced(index, "damaged manifest");
  fs::remove(index + "/manifest");
  ASSERT_EQ(mkfifo((index + "/manifest").c_str(), 0600), 0);
  expect_not_replaced(index, "no Spillway index");
  std::ofstream(scratch_ / "file") << "x";
  expect_not_replaced(scratch_ / "file", "no Spillway index");
}

TEST_F(JobOutput, IsNotReplacedWithForeignFilesInIt) {
  const std::string index = make_index("index");
  for (const char* name : {"a", "b", "notes.txt", "terms.old", "z"}) std::ofstream(index + "/" + name) << "x";
  expect_not_replaced(index, "files that are not of an index: a, b, notes.txt and 2 more");
  const std::string linked = make_index("linked");
  fs::remove(linked + "/postings");
  fs::create_symlink(index + "/postings", linked + "/postings");
  expect_not_replaced(linked, "not of an index: postings");
  const std::string nested = make_index("nested");
  fs::create_directory(nested + "/terms");
  expect_not_replaced(nested, "not of an index: terms");
}

TEST_F(JobOutput, IsNotReplacedWhereItCannotBeMoved) {
  const std::string index = make_index("index");
  const fs::path before = fs::current_path();
  fs::current_path(index);
  for (const char* output : {".", "./", "../index", "../index/."}) expect_not_replaced(output, "working directory");
  fs::current_path(before);
  expect_not_replaced("/", "/ exists and is no Spillway index");
}

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

TEST(LooksLikeIndex, AsksForAManifest) {
  const testing::ScratchDirectory scratch;
  EXPECT_FALSE(looks_like_index(posix_file_system(), scratch / "missing"));
  EXPECT_FALSE(looks_like_index(posix_file_system(), scratch.path()));
  std::ofstream(scratch / "manifest") << "anything";
  EXPECT_FALSE(looks_like_index(posix_file_system(), scratch.path()));
  std::ofstream(scratch / "manifest") << kManifestMagic << "x";
  EXPECT_TRUE(looks_like_index(posix_file_system(), scratch.path()));
  std::ofstream(scratch / "file") << "x";
  EXPECT_FALSE(looks_like_index(posix_file_system(), scratch / "file"));
}

}  // namespace
}  // namespace spillway
