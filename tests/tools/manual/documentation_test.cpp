// docs/errors.md lists every exit code and every reason for a skipped record; docs/tuning.md every resource option. The
// paths that pages name exist.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "corpora/document/sink.hpp"
#include "tests/support/places.hpp"
#include "tools/cli/option_table.hpp"
#include "tools/commands/commands.hpp"
#include "tools/manual/page.hpp"

namespace spillway {
namespace {

std::string source_text(const std::string& path) {
  std::ifstream file(testing::source_directory() + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

bool has_row(const std::string& page, const std::string& begin) {
  return page.find("\n| " + begin) != std::string::npos;
}

TEST(ErrorCatalogue, HasEveryReasonForASkippedRecord) {
  const std::string page = source_text("docs/errors.md");
  for (int i = 0; i < static_cast<int>(SkipReason::kCount); ++i) {
    const std::string name(skip_reason_name(static_cast<SkipReason>(i)));
    EXPECT_TRUE(has_row(page, "`" + name + "` |")) << name;
  }
}

TEST(ErrorCatalogue, HasEveryExitCodeByItsNameInTheSource) {
  const std::string page = source_text("docs/errors.md"), header = source_text("io/base/error.hpp");
  const std::string manual = manual_page(all_commands());
  const std::string codes =
      header.substr(header.find("enum class ExitCode"), header.find("};") - header.find("enum class ExitCode"));
  const std::regex entry(R"((k\w+) = (\d+))");
  int count = 0;
  for (std::sregex_iterator at(codes.begin(), codes.end(), entry), end; at != end; ++at, ++count) {
    EXPECT_TRUE(has_row(page, (*at)[2].str() + " | `" + (*at)[1].str() + "` |")) << (*at)[1];
    const std::regex of_manual("\n(\\d+, )*" + (*at)[2].str() + "(, \\d+)*\n");
    EXPECT_TRUE(std::regex_search(manual, of_manual)) << (*at)[1];
  }
  EXPECT_GE(count, 9);
}

TEST(Help, HasTheExitCodeOfEveryCommandThatMayRequireAGpu) {
  int count = 0;
  for (const Command& command : all_commands()) {
    bool may_require = false;
    for (const auto& group : command.groups) may_require |= group.find_nothrow("require-gpu", false) != nullptr;
    if (!may_require) continue;
    ++count;
    EXPECT_NE(help_text(command).find("\n  6  "), std::string::npos) << command.name;
  }
  EXPECT_GE(count, 6);
}

TEST(TuningGuide, HasEveryKnobOfResources) {
  const std::string page = source_text("docs/tuning.md");
  int count = 0;
  for (const Command& command : all_commands()) {
    if (command.name != "index" && command.name != "merge") continue;
    for (const OptionGroupText& group : option_table(command)) {
      if (group.caption != "Resources") continue;
      for (const OptionText& option : group.options) {
        EXPECT_TRUE(has_row(page, "`" + option.long_name + "`")) << option.long_name;
        ++count;
      }
    }
  }
  EXPECT_GE(count, 10);
}

TEST(Pages, NamePathsThatExist) {
  namespace fs = std::filesystem;
  const fs::path root = testing::source_directory();
  std::vector<fs::path> pages{root / "README.md", root / "bench" / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  const std::regex path(
      "`((?:io|merge|sort|corpora|text|search|indexer|tools|tests|bench|docs|cmake)/[\\w./-]*"
      "(?:/|\\.(?:hpp|cpp|cuh|cu|py|cmake|md|txt)))`");
  int count = 0;
  for (const fs::path& page : pages) {
    const std::string text = source_text(fs::relative(page, root).string());
    for (std::sregex_iterator at(text.begin(), text.end(), path), end; at != end; ++at, ++count) {
      EXPECT_TRUE(fs::exists(root / (*at)[1].str())) << page << " names " << (*at)[1];
    }
  }
  EXPECT_GE(count, 40);
}

}  // namespace
}  // namespace spillway
