// The manual page and the completions name every command and option, and work in man and in the shells.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tools/cli/option_table.hpp"
#include "tools/commands/commands.hpp"
#include "tools/manual/completions.hpp"
#include "tools/manual/page.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_program;
using testing::ScratchDirectory;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string roff(std::string text) {
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 2)) text.insert(at, "\\");
  return text;
}

// The text between the first `begin` and the next `end`.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  return at == std::string::npos ? "" : text.substr(at, text.find(end, at + begin.size()) - at);
}

TEST(OptionTable, HoldsWhatTheHelpShows) {
  for (const Command& command : all_commands()) {
    const std::string help = help_text(command);
    const auto groups = option_table(command);
    EXPECT_EQ(groups.size(), command.groups.size() + 1);
    for (const OptionGroupText& group : groups) {
      if (group.caption == "Help") continue;
      EXPECT_TRUE(contains(help, "\n" + group.caption + ":\n")) << group.caption;
      for (const OptionText& option : group.options) {
        EXPECT_TRUE(contains(help, option.long_name)) << option.long_name;
        EXPECT_FALSE(option.meaning.empty()) << option.long_name;
        if (!option.short_name.empty()) {
          EXPECT_TRUE(contains(help, option.short_name + " [ " + option.long_name + " ]")) << option.long_name;
        }
      }
    }
  }
}

TEST(ManualPage, NamesEveryOptionOfEveryCommand) {
  const std::string page = manual_page(all_commands());
  for (const Command& command : all_commands()) {
    const std::string section = between(page, ".SS spillway " + roff(command.name) + "\n", ".S");
    ASSERT_FALSE(section.empty()) << command.name;
    for (const OptionGroupText& group : option_table(command)) {
      if (group.caption == "Help") continue;
      for (const OptionText& option : group.options) {
        EXPECT_TRUE(contains(section, "\\fB" + roff(option.long_name) + "\\fR")) << command.name << option.long_name;
      }
    }
    for (const auto& [code, meaning] : command.exit_codes) {
      EXPECT_TRUE(contains(section, ".TP\n" + std::to_string(static_cast<int>(code)) + "\n")) << command.name;
    }
  }
}

TEST(ManualPage, HasTheDateOfItsSources) {
  EXPECT_TRUE(std::regex_search(manual_page(all_commands()),
                                std::regex("^\\.TH SPILLWAY 1 \"20\\d\\d\\\\-\\d\\d\\\\-\\d\\d\"")));
  ScratchDirectory scratch;
  const auto date_of_build = [&](const std::string& variable) {
    const std::string script =
        variable + " cmake -DSOURCE=\"$1\" -DOUTPUT=\"$2\" -P \"$1\"/tools/write_commit.cmake && cat \"$2\"";
    const ProgramResult result =
        run_program({"/bin/sh", "-c", script, "sh", testing::source_directory(), scratch / "commit.h"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return between(result.out, "SPILLWAY_DATE \"", "\n");
  };
  EXPECT_EQ(date_of_build("SOURCE_DATE_EPOCH=86400"), "SPILLWAY_DATE \"1970-01-02\"");
  EXPECT_TRUE(contains(date_of_build("env -u SOURCE_DATE_EPOCH"), "\"20"));
}

TEST(ManualPage, RendersWithoutWarnings) {
  ScratchDirectory scratch;
  std::ofstream(scratch / "spillway.1") << manual_page(all_commands());
  if (run_program({"/bin/sh", "-c", "command -v groff"}).exit_code != 0) GTEST_SKIP() << "there is no groff";
  const ProgramResult result =
      run_program({"/bin/sh", "-c", "groff -ww -man -Tutf8 -P-cbou \"$1\"", "sh", scratch / "spillway.1"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(contains(result.out, "spillway index"));
}

TEST(Completions, NameEveryOptionOfEveryCommand) {
  const std::string bash = bash_completions(all_commands()), zsh = zsh_completions(all_commands()),
                    fish = fish_completions(all_commands());
  for (const Command& command : all_commands()) {
    const std::string bash_case = between(bash, "    '" + command.name + "')\n", ";;");
    const std::string zsh_case = between(zsh, "      '" + command.name + "')\n", ";;");
    for (const OptionGroupText& group : option_table(command)) {
      for (const OptionText& option : group.options) {
        EXPECT_TRUE(contains(bash_case + " ", option.long_name)) << command.name << option.long_name;
        EXPECT_TRUE(contains(zsh_case, "'*" + option.long_name + "[")) << command.name << option.long_name;
        const std::string lines = "complete -c spillway -n '__spillway_begins '\\''" + command.name + "'\\'''";
        bool found = false;
        for (std::size_t at = fish.find(lines); at != std::string::npos && !found; at = fish.find(lines, at + 1)) {
          found = contains(fish.substr(at, fish.find('\n', at) - at), " -l " + option.long_name.substr(2) + " ");
        }
        EXPECT_TRUE(found) << command.name << option.long_name;
      }
    }
  }
}

// Whatever take_choice() takes is offered by every shell, and nothing else.
TEST(Completions, OfferTheNamesThatAnOptionMayHave) {
  const std::string bash = bash_completions(all_commands()), zsh = zsh_completions(all_commands()),
                    fish = fish_completions(all_commands());
  int count = 0;
  for (const Command& command : all_commands()) {
    for (const OptionGroupText& group : option_table(command)) {
      for (const OptionText& option : group.options) {
        if (option.choices.empty()) continue;
        ++count;
        std::string names;
        for (const std::string& name : option.choices) names += (names.empty() ? "" : " ") + name;
        EXPECT_TRUE(contains(between(bash, "    '" + command.name + "')\n", "      ;;\n"),
                             option.long_name + ") choices='" + names + "'"))
            << command.name << option.long_name;
        EXPECT_TRUE(contains(between(zsh, "      '" + command.name + "')\n", "return ;;"), names))
            << command.name << option.long_name;
        EXPECT_TRUE(contains(fish, " -l " + option.long_name.substr(2) + " ")) << option.long_name;
        EXPECT_TRUE(contains(fish, " -a '" + names + "'")) << command.name << option.long_name;
      }
    }
  }
  EXPECT_GE(count, 25);
}

// The completions that bash offers while the last of the words is typed.
std::string bash_offers(const std::string& script, const std::vector<std::string>& words,
                        const std::string& directory) {
  std::string typed;
  for (const std::string& word : words) typed += " '" + word + "'";
  const std::string program = "cd \"$2\"; source \"$1\"; COMP_WORDS=(" + typed +
                              "); COMP_CWORD=" + std::to_string(words.size() - 1) +
                              "; _spillway; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const ProgramResult result = run_program({"/bin/bash", "--norc", "-u", "-c", program, "bash", script, directory});
  EXPECT_EQ(result.err, "");
  return "\n" + result.out;
}

TEST(Completions, WorkInBash) {
  if (!std::filesystem::exists("/bin/bash")) GTEST_SKIP() << "there is no bash";
  ScratchDirectory scratch;
  const std::string script = scratch / "completion";
  std::ofstream(script) << bash_completions(all_commands());
  std::filesystem::create_directories(scratch / "here/a directory");
  std::ofstream(scratch / "here/a file") << "x";
  const auto offers = [&](const std::vector<std::string>& words) {
    return bash_offers(script, words, scratch / "here");
  };
  for (const Command& command : all_commands()) {
    if (command.is_for_builds) continue;
    std::vector<std::string> words{"spillway"};
    std::istringstream name(command.name);
    for (std::string word; name >> word;) {
      words.push_back(word.substr(0, 2));
      EXPECT_TRUE(contains(offers(words), "\n" + word + "\n")) << command.name;
      words.back() = word;
    }
    words.emplace_back("--");
    const std::string offered = offers(words);
    for (const OptionGroupText& group : option_table(command)) {
      for (const OptionText& option : group.options) {
        EXPECT_TRUE(contains(offered, "\n" + option.long_name + "\n")) << command.name << option.long_name;
      }
    }
  }
  EXPECT_EQ(offers({"spillway", "search", "x", "--format", ""}), "\ntext\ntrec\nmsmarco\njson\n");
  EXPECT_EQ(offers({"spillway", "search", "x", "--format", "=", "t"}), "\ntext\ntrec\n");
  EXPECT_EQ(offers({"spillway", "search", "x", "--format", "="}), "\ntext\ntrec\nmsmarco\njson\n");
  const std::string of_stop = offers({"spillway", "index", "--stop", ""});
  EXPECT_TRUE(of_stop.starts_with("\nnone\nenglish\n") && contains(of_stop, "\na file\n")) << of_stop;
  EXPECT_EQ(offers({"spillway", "corpus", "generate", "keys", "zi"}), "\nzipfian\n");
  EXPECT_EQ(offers({"spillway", "help", "ver"}), "\nverify\n");
  EXPECT_EQ(offers({"spillway", "help", "corpus", "g"}), "\ngenerate\n");
  EXPECT_FALSE(contains(offers({"spillway", "stats", "a"}), "\na file\n"));
  EXPECT_TRUE(contains(offers({"spillway", "stats", "a"}), "\na directory\n"));
  EXPECT_TRUE(contains(offers({"spillway", "index", "--force", "a"}), "\na file\n"));
  EXPECT_TRUE(contains(offers({"spillway", "index", "a"}), "\na file\n"));
  EXPECT_FALSE(contains(offers({"spillway", "index", "--temp-dir", "a"}), "\na file\n"));
  EXPECT_TRUE(contains(offers({"spillway", "index", "--temp-dir", "a"}), "\na directory\n"));
  EXPECT_EQ(offers({"spillway", "index", "--memory", "a"}), "\n\n");
  EXPECT_EQ(offers({"spillway", "ind"}), "\nindex\n");
}

}  // namespace
}  // namespace spillway
