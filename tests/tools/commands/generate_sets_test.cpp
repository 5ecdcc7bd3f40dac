// `corpus generate keys` and `corpus generate strings`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <vector>

#include "corpora/synthetic/generate_keys.hpp"
#include "corpora/synthetic/generate_strings.hpp"
#include "corpora/synthetic/string_sets.hpp"
#include "sort/sorters.hpp"
#include "sort/string_set_stats.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_spillway;
using testing::ScratchDirectory;

ProgramResult generate(const std::string& kind, const std::vector<std::string>& words) {
  std::vector<std::string> all{"corpus", "generate", kind};
  all.insert(all.end(), words.begin(), words.end());
  return run_spillway(all);
}

TEST(GenerateKeysCommand, WritesLittleEndianIntegers) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "keys";
  const ProgramResult made =
      generate("keys", {"zipfian", "--count", "70000", "--bits", "24", "--seed", "9", "--threads", "3", "-o", path});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  std::vector<std::uint64_t> expected(70000), found(70000);
  fill_keys(KeySet({KeyDistribution::kZipfian, 70000, 24, 9}), 1, expected);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(found.data()), static_cast<std::streamsize>(found.size() * 8));
  EXPECT_EQ(file.gcount(), 70000 * 8);
  EXPECT_EQ(file.peek(), EOF);
  EXPECT_EQ(found, expected);
}

TEST(GenerateStringsCommand, WritesLines) {
  std::string expected;
  generate_strings(*find_string_set("url").make(4), 30000, 1, [&](std::string_view fragment) { expected += fragment; });
  const ProgramResult made = generate("strings", {"url", "--count", "30000", "--seed", "4", "--threads", "2"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.out, expected);
  const ProgramResult whole = generate("strings", {"dictcalls"});
  EXPECT_EQ(std::count(whole.out.begin(), whole.out.end(), '\n'), 100187) << "the paper's count";
}

TEST(GenerateCommands, RefuseWhatTheyDoNotKnow) {
  EXPECT_NE(generate("strings", {"urls"}).err.find("choose one of random, random-ascii"), std::string::npos);
  EXPECT_NE(generate("keys", {"unifrom"}).err.find("did you mean uniform?"), std::string::npos);
  EXPECT_NE(generate("keys", {"uniform", "--bits", "65"}).err.find("--bits '65'"), std::string::npos);
  EXPECT_EQ(generate("keys", {}).exit_code, 2);
  const ProgramResult family = run_spillway({"corpus", "generate"});
  EXPECT_EQ(family.exit_code, 2);
  for (const char* name : {"'corpus generate text'", "'corpus generate keys'", "'corpus generate strings'"}) {
    EXPECT_NE(family.err.find(name), std::string::npos) << family.err;
    const std::string usage = "Usage: spillway " + std::string(name).substr(1, std::strlen(name) - 2);
    EXPECT_NE(run_spillway({"corpus", "--help"}).out.find(usage), std::string::npos);
  }
}

// The figures of a set in the paper's Table I: characters per string (from the size in MiB, including an end of
// string), mean and longest tie.
struct PaperSet {
  const char* name;
  double mean_bytes, mean_tie, max_tie;
};

StringSetStats measured(const char* name) {
  const StringSetText& text = find_string_set(name);
  const auto set = text.make(1);
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(text.count, 1'000'000));
  std::vector<std::uint8_t> bytes(string_bytes(*set, count, 2));
  std::vector<std::uint64_t> offsets(count + 1);
  fill_strings(*set, 2, bytes, offsets);
  std::vector<StringRef> strings(count);
  for (std::size_t i = 0; i < count; ++i) {
    strings[i] = {bytes.data() + offsets[i], static_cast<std::uint32_t>(offsets[i + 1] - offsets[i]), 0};
  }
  const StringSorter& sorter = *find_string_sorter("cpu-multikey");
  std::vector<std::uint32_t> order(count), lcps(count);
  std::vector<std::uint8_t> scratch(sorter.scratch_bytes(count));
  sorter.sort(strings, order, lcps, scratch);
  return string_set_stats(strings, order, lcps);
}

// Checks the sets of up to a million strings in full; docs/benchmarks.md has the figures of all sets.
TEST(SlowStringSets, AreAsHardAsThePapersSay) {
  for (const PaperSet& paper : {PaperSet{"artificial-2", 101.8, 101, 101}, PaperSet{"artificial-5", 51.4, 50, 100},
                                PaperSet{"random", 100.7, 2, 5}, PaperSet{"dictcalls", 22, 15, 35}}) {
    const StringSetStats found = measured(paper.name);
    EXPECT_NEAR(static_cast<double>(found.bytes) / static_cast<double>(found.count), paper.mean_bytes,
                0.03 * paper.mean_bytes)
        << paper.name;
    EXPECT_NEAR(found.mean_tie_bytes, paper.mean_tie, 1) << paper.name;
    EXPECT_NEAR(found.max_tie_bytes, paper.max_tie, 1) << paper.name;
  }
}

}  // namespace
}  // namespace spillway
