// Options of `sort` that are cut short, against GNU sort, where that is installed.
#include <filesystem>
#include <regex>
#include <set>

#include "tests/support/places.hpp"
#include "tests/tools/commands/sort/sort_command.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_program;

constexpr const char* kGnuSort = "/usr/bin/sort";

class SortAbbreviations : public testing::SortCommandTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kGnuSort)) GTEST_SKIP() << "GNU sort is not installed";
    std::filesystem::create_symlink(testing::program_path(), own_);
    file("in", " 10\n9\n1e1\n2K\nb\nB\nB\nFeb\nJan\na10\na9\n\x01z\n-d\n c\n");
  }

  // Returns every prefix of every long option that a program's help names, without the two dashes.
  static std::set<std::string> prefixes(const std::string& program) {
    const std::string help = run_program({program, "--help"}).out;
    const std::regex option("--([a-z0-9-]+)");
    std::set<std::string> found;
    for (std::sregex_iterator at(help.begin(), help.end(), option), end; at != end; ++at) {
      const std::string name = (*at)[1];
      for (std::size_t bytes = 1; bytes <= name.size(); ++bytes) found.insert(name.substr(0, bytes));
    }
    return found;
  }

  // Runs a sort. The result has its output, that to a file as well, and its messages without the name of the program.
  ProgramResult run(const std::string& program, Words words) const {
    words.insert(words.begin(), program);
    ProgramResult result = run_program(words, {.environment = {"LC_ALL=C"}});
    result.out += content(scratch_ / "out");
    std::filesystem::remove(scratch_ / "out");
    for (std::size_t at = 0; (at = result.err.find(program)) != std::string::npos;) {
      result.err.replace(at, program.size(), "sort");
    }
    return result;
  }

  void expect_same(const std::string& option) const {
    SCOPED_TRACE(option);
    const ProgramResult gnu = run(kGnuSort, {option, scratch_ / "in"});
    if (gnu.err.find("unrecognized option") != std::string::npos) return;  // it may be an addition
    const ProgramResult found = run(own_, {option, scratch_ / "in"});
    EXPECT_EQ(found.exit_code, gnu.exit_code) << found.err;
    // Names with line ends are quoted in another way.
    const std::size_t quoted = gnu.err.find("'$'");
    EXPECT_EQ(found.err.substr(0, quoted), gnu.err.substr(0, quoted));
    if (gnu.out.starts_with("Usage:")) {
      EXPECT_NE(found.out.find("Usage: "), std::string::npos);
    } else if (gnu.out.starts_with("sort (GNU")) {
      EXPECT_TRUE(found.out.starts_with("spillway sort ")) << found.out;
    } else if (option.starts_with("--random-so")) {
      EXPECT_EQ(found.out.size(), gnu.out.size());
    } else {
      EXPECT_EQ(found.out, gnu.out);
    }
  }

  std::string own_ = scratch_ / "sort";
};

class SlowSortAbbreviations : public SortAbbreviations {};

TEST_F(SlowSortAbbreviations, MeanWhatGnuSortTakesThemFor) {
  std::set<std::string> all = prefixes(kGnuSort);
  EXPECT_GT(all.size(), 150U);
  const std::set<std::string> own = prefixes(own_);
  EXPECT_TRUE(own.contains("gpu-memory"));
  all.insert(own.begin(), own.end());
  for (const std::string& prefix : all) {
    expect_same("--" + prefix);
    expect_same("--" + prefix + "=" + (scratch_ / "out"));
  }
}

TEST_F(SortAbbreviations, MeanAdditionsWhereGnuSortHasNoSuchOption) {
  EXPECT_EQ(run(own_, {"--gpu=never", scratch_ / "in"}).exit_code, 0);
  EXPECT_EQ(run(own_, {"--gpu-mem=1G", scratch_ / "in"}).exit_code, 0);
  EXPECT_EQ(run(own_, {"--hea=1", scratch_ / "in"}).out, "\x01z\n");
  EXPECT_EQ(run(own_, {"--head=2", scratch_ / "in"}).out, "\x01z\n 10\n");
}

TEST_F(SortAbbreviations, OfWordsEndAsInGnuSort) {
  for (const std::string option : {"--check=", "--check=foo", "--check=q", "--check=s", "--sort=", "--sort=foo",
                                   "--sort=n", "--sort=h", "--sort=human-numeric"}) {
    expect_same(option);
  }
  EXPECT_EQ(sort({"--check=foo"}).exit_code, 1);
  EXPECT_EQ(sort({"--sort=foo"}).exit_code, 1);
  EXPECT_EQ(sort({"--unpack=foo"}).exit_code, 2);
}

}  // namespace
}  // namespace spillway
