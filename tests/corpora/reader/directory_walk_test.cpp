#include "corpora/reader/directory_walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/corpora/reader/read_corpus.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;
namespace fs = std::filesystem;

std::vector<std::string> walk(const std::string& root, std::size_t names_bytes) {
  std::vector<std::string> found;
  walk_directory(posix_file_system(), root, names_bytes, [&](const std::string& path, std::size_t relative_begin) {
    EXPECT_TRUE(fs::is_regular_file(path)) << path;
    found.push_back(path.substr(relative_begin));
  });
  return found;
}

// With little memory a directory is read several times; nothing is left out or visited twice.
TEST(DirectoryWalk, VisitsTheSameFilesInOrderWithAnyMemory) {
  const ScratchDirectory directory;
  std::mt19937_64 random(3);
  std::vector<std::string> expected;
  for (int i = 0; i < 400; ++i) {
    std::string path;
    while (random() % 3 == 0) path += std::string(1, "ab.-"[random() % 4]) + "d" + std::to_string(random() % 3) + "/";
    fs::create_directories(directory / path);
    path += std::string(1 + random() % 30, "xy.\xC3~"[random() % 5]) + std::to_string(i);
    write_input(directory / path, "text");
    if (("/" + path).find("/.") == std::string::npos) expected.push_back(path);
  }
  std::sort(expected.begin(), expected.end());
  ASSERT_GT(expected.size(), 200U);
  for (const std::size_t names_bytes : {std::size_t{0}, std::size_t{100}, std::size_t{3000}, std::size_t{1} << 20}) {
    EXPECT_EQ(walk(directory.path(), names_bytes), expected) << names_bytes;
    EXPECT_EQ(walk(directory.path() + "/", names_bytes), expected) << names_bytes;
  }
}

TEST(DirectoryWalk, NamesADirectoryThatCannotBeRead) { EXPECT_THROW(walk("/does/not/exist", 1000), IoError); }

}  // namespace
}  // namespace spillway
