#include "io/run/reader.hpp"
#include "io/run/term_cursor.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "io/base/error.hpp"
#include "io/file/memory_file.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_forger.hpp"
#include "tests/support/sample_run.hpp"

namespace spillway {
namespace {

using namespace testing;

// Contains every feature described in docs/run_format.md.
SampleRun golden_run() {
  SampleRun run;
  run.documents.push_back({3, "id-0", "A title", "http://example.org/", "2024-02-29", "some text"});
  run.documents.push_back({});
  run.documents.push_back({302, std::nullopt, "", std::nullopt, std::nullopt, std::nullopt});
  run.terms["a"] = {{0, 1}, {2, 300}};
  run.terms["abc"] = {{0, 2}};
  run.terms["abd\xC3\xA4"] = {{2, 1}};
  run.terms["z"] = {{2, 1}};
  add_positions(run, 1);
  return run;
}

SampleWriting golden_writing() {
  SampleWriting writing{{}, kMinRunBlockBytes};
  for (std::size_t i = 0; i < writing.identity.job.size(); ++i) writing.identity.job[i] = static_cast<std::uint8_t>(i);
  writing.identity.number = 7;
  writing.identity.has_positions = true;
  writing.identity.last_document_open = true;
  return writing;
}

std::string golden_path() { return testing::source_directory() + "/tests/io/golden/run-1.0.run"; }

TEST(RunReader, ReadsTheGoldenFile) {
  const auto file = posix_file_system().open(golden_path());
  EXPECT_TRUE(read_sample_run(*file) == golden_run());
  const RunReader reader(*file);
  EXPECT_EQ(reader.identity().job, golden_writing().identity.job);
  EXPECT_EQ(reader.identity().number, 7u);
  EXPECT_TRUE(reader.identity().has_positions);
  EXPECT_FALSE(reader.identity().first_document_open);
  EXPECT_TRUE(reader.identity().last_document_open);
  EXPECT_EQ(reader.summary().entry_count, 4u);
  EXPECT_EQ(reader.summary().posting_count, 5u);
  EXPECT_EQ(reader.summary().occurrence_count, 305u);
  EXPECT_EQ(reader.longest_term_bytes(), 5u);
  ASSERT_EQ(reader.term_samples().size(), 1u);
  EXPECT_EQ(reader.term_samples()[0].first_term, "a");
}

// With SPILLWAY_UPDATE_GOLDEN set, writes the file instead: for a change of the format together with its version.
TEST(RunReader, MeetsTheBytesOfTheGoldenFile) {
  MemoryBudget budget(std::size_t{1} << 20);
  MemoryFile file(budget, "run", 4096);
  write_sample_run(golden_run(), golden_writing(), file);
  const std::vector<std::uint8_t> bytes = all_bytes(file);
  if (std::getenv("SPILLWAY_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(golden_path(), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  const std::string golden = read_file(posix_file_system(), golden_path());
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), golden.begin(), golden.end(),
                         [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); }));
}

TEST(RunReader, RefusesWhatIsNoRun) {
  EXPECT_THROW(RunReader(BytesFile({})), FormatError);
  EXPECT_THROW(RunReader(BytesFile(std::vector<std::uint8_t>(1000, 'x'))), FormatError);
  EXPECT_THROW(RunReader(BytesFile(std::vector<std::uint8_t>(1000, 0))), FormatError);
}

TEST(RunReader, NamesPathAndOffset) {
  try {
    const BytesFile file(std::vector<std::uint8_t>(1000, 'x'));
    const RunReader reader(file);
    FAIL();
  } catch (const FormatError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("forged-run: offset 0: expected the magic of a run"), std::string::npos) << message;
  }
}

TEST(RunReader, HoldsLittle) {
  SampleRunOptions options;
  options.documents = 2000;
  options.terms = 5000;
  MemoryBudget budget(std::size_t{1} << 30);
  MemoryFile file(budget, "run");
  write_sample_run(make_sample_run(3, options), {}, file);
  const RunReader reader(file);
  EXPECT_GT(reader.term_samples().size(), 100u);
  EXPECT_LT(reader.memory_bytes(), file.size() / 20);
  EXPECT_LE(RunTermCursor::memory_bytes(reader), 3 * kMinRunBlockBytes);
}

}  // namespace
}  // namespace spillway
