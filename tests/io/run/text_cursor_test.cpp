#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "io/file/memory_file.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/run/layout.hpp"
#include "io/run/reader.hpp"
#include "io/run/text_cursor.hpp"
#include "io/run/writer.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_forger.hpp"
#include "tests/support/sample_run.hpp"

namespace spillway {
namespace {

using namespace testing;

// Returns a run without documents but with this text stream, written in appends.size() appends.
std::unique_ptr<MemoryFile> run_of(MemoryBudget& budget, const std::vector<std::string>& appends) {
  auto file = std::make_unique<MemoryFile>(budget, "run", 10'000);
  RunIdentity identity;
  identity.has_texts = true;
  RunWriter writer(*file, identity, kMinRunBlockBytes);
  for (const std::string& bytes : appends) {
    writer.append_texts({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  }
  writer.finish({});
  return file;
}

std::vector<std::string> texts_of(const RunReader& run) {
  std::vector<std::string> texts(1);
  RunTextCursor cursor(run);
  while (cursor.next()) {
    texts.back() += cursor.fragment().bytes;
    if (cursor.fragment().ends_document) texts.emplace_back();
  }
  return texts;
}

std::string fragment_of(std::string_view text, bool ends_document) {
  std::vector<std::uint8_t> bytes;
  append_text_fragment({text, ends_document}, bytes);
  return {bytes.begin(), bytes.end()};
}

TEST(RunTextCursor, AFragmentIsItsLengthItsEndAndItsBytes) {
  EXPECT_EQ(fragment_of("abc", false), std::string("\x06") + "abc");
  EXPECT_EQ(fragment_of("", true), "\x01");
  EXPECT_EQ(fragment_of(std::string(64, 'x'), true), std::string("\x81\x01") + std::string(64, 'x'));
}

// With SPILLWAY_UPDATE_GOLDEN set, writes the file instead: for a change of the format together with its version.
TEST(RunTextCursor, MeetsTheGoldenFile) {
  const std::string path = testing::source_directory() + "/tests/io/golden/run-1.0-texts.run";
  MemoryBudget budget(std::size_t{1} << 20);
  const std::vector<std::string> fragments{fragment_of("a text of ", false), fragment_of("two pieces", true),
                                           fragment_of("", true), fragment_of("the last", true)};
  const std::vector<std::uint8_t> bytes = all_bytes(*run_of(budget, fragments));
  if (std::getenv("SPILLWAY_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  const auto golden = posix_file_system().open(path);
  EXPECT_EQ(all_bytes(*golden), bytes);
  const RunReader run(*golden);
  EXPECT_TRUE(run.identity().has_texts);
  EXPECT_EQ(texts_of(run), (std::vector<std::string>{"a text of two pieces", "", "the last", ""}));
}

TEST(RunTextCursor, GivesBackTextsInFragmentsOfAnySize) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> appends, expected;
    for (auto i = random() % 30; i > 0; --i) {
      expected.emplace_back();
      for (auto fragments = random() % 4; fragments > 0; --fragments) {
        const std::string text(random() % (random() % 8 == 0 ? 20000 : 300), static_cast<char>('a' + random() % 26));
        expected.back() += text;
        appends.push_back(fragment_of(text, false));
      }
      appends.push_back(fragment_of("", true));
    }
    expected.emplace_back();
    MemoryBudget budget(std::size_t{1} << 30);
    const auto file = run_of(budget, appends);
    const RunReader run(*file);
    EXPECT_TRUE(run.identity().has_texts);
    ASSERT_EQ(texts_of(run), expected);
  }
}

TEST(RunTextCursor, RefusesAStreamThatEndsInsideAFragment) {
  MemoryBudget budget(std::size_t{1} << 30);
  const std::string fragment = fragment_of(std::string(5000, 'x'), true);
  for (const std::size_t kept : {std::size_t{1}, std::size_t{2}, std::size_t{4096}, fragment.size() - 1}) {
    const auto file = run_of(budget, {fragment.substr(0, kept)});
    const RunReader run(*file);
    EXPECT_THROW(texts_of(run), FormatError) << kept;
  }
  const auto file = run_of(budget, {std::string(11, '\xFF')});
  EXPECT_THROW(texts_of(RunReader(*file)), FormatError);
}

TEST(RunTextCursor, ARunOfAnotherReleaseWithoutTextsHasNoFeatureBit) {
  MemoryBudget budget(std::size_t{1} << 30);
  const SampleRun sample = make_sample_run(1, {});
  MemoryFile file(budget, "run", 10'000);
  write_sample_run(sample, {}, file);
  std::uint8_t feature[4];
  file.read_exactly(run_layout::kIncompatibleAt, feature);
  EXPECT_EQ(load_le<std::uint32_t>(feature), 0u);
  EXPECT_FALSE(RunReader(file).identity().has_texts);
}

}  // namespace
}  // namespace spillway
