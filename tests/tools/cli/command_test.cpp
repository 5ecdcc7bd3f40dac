#include "tools/cli/command.hpp"

#include <gtest/gtest.h>

#include "tools/commands/commands.hpp"

namespace spillway {
namespace {

Command toy_command() {
  Command command;
  command.name = "toy";
  command.summary = "a toy";
  command.examples = {{"spillway toy a", "plays"}};
  command.operands = "THING [OPTIONS]";
  auto group = option_group("Group");
  add_value(group, "memory,m", "SIZE", "how much");
  add_values(group, "temp-dir", "DIR", "where");
  add_flag(group, "force", "really");
  command.groups.push_back(group);
  command.min_operands = 1;
  command.max_operands = 2;
  return command;
}

std::string refusal(const std::vector<std::string>& words) {
  try {
    parse_arguments(toy_command(), words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ParseArguments, TakesOptionsInAnyPlaceAndForm) {
  const Arguments arguments =
      parse_arguments(toy_command(), {"one", "--memory=64M", "--temp-dir", "a", "two", "--temp-dir", "b", "--force"});
  EXPECT_EQ(arguments.operands(), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(arguments.text("memory"), "64M");
  EXPECT_EQ(arguments.texts("temp-dir"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(arguments.has("force"));
  EXPECT_FALSE(arguments.has("help"));
}

TEST(ParseArguments, TakesDashAndWhatFollowsTwoDashesAsOperands) {
  EXPECT_EQ(parse_arguments(toy_command(), {"-", "--", "--force"}).operands(),
            (std::vector<std::string>{"-", "--force"}));
}

TEST(ParseArguments, HasNoOptionForOperands) {
  EXPECT_NE(refusal({"x", "--operands", "y"}).find("unknown option --operands"), std::string::npos);
  EXPECT_NE(refusal({"x", "--operands=y"}).find("unknown option --operands"), std::string::npos);
}

TEST(ParseArguments, SuggestsTheNearestOption) {
  EXPECT_NE(refusal({"x", "--memroy", "1"}).find("did you mean --memory?"), std::string::npos) << refusal({"--memroy"});
  EXPECT_EQ(refusal({"x", "--zebra"}).find("did you mean"), std::string::npos);
  EXPECT_NE(refusal({"x", "--zebra"}).find("unknown option --zebra"), std::string::npos);
  EXPECT_NE(refusal({"x", "-z"}).find("unknown option"), std::string::npos);
}

TEST(ParseArguments, TakesNoBeginningOfANameForIt) { EXPECT_NE(refusal({"x", "--mem", "1"}), "accepted"); }

TEST(ParseArguments, TakesTheLastOfWhatIsRepeatedUnlessItAddsUp) {
  const Arguments arguments = parse_arguments(
      toy_command(), {"-m", "1", "--force", "x", "--temp-dir=a", "--memory=2", "--force", "-m3", "--temp-dir=b", "y"});
  EXPECT_EQ(arguments.text("memory"), "3");
  EXPECT_TRUE(arguments.has("force"));
  EXPECT_EQ(arguments.texts("temp-dir"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(arguments.operands(), (std::vector<std::string>{"x", "y"}));
}

TEST(ParseArguments, KnowsHelpAndVersionWithoutOperands) {
  for (const char* word : {"--help", "-h"}) EXPECT_TRUE(parse_arguments(toy_command(), {word}).has("help"));
  for (const char* word : {"--version", "-V"}) EXPECT_TRUE(parse_arguments(toy_command(), {word}).has("version"));
}

TEST(ParseArguments, RefusesMissingAndSuperfluousValues) {
  EXPECT_NE(refusal({"x", "--memory"}).find("--memory"), std::string::npos);
  EXPECT_NE(refusal({"x", "--force=yes"}).find("--force"), std::string::npos);
}

TEST(ParseArguments, CountsOperands) {
  EXPECT_NE(refusal({}).find("usage: spillway toy THING"), std::string::npos);
  EXPECT_NE(refusal({"a", "b", "c"}).find("'c' is one argument too many"), std::string::npos);
  EXPECT_TRUE(parse_arguments(toy_command(), {"--help"}).has("help"));
}

TEST(ParseArguments, EscapesWhatItQuotes) {
  EXPECT_EQ(refusal({"x", "--\x1b[31mred"}).find('\x1b'), std::string::npos);
  EXPECT_EQ(refusal({"a", "b", "\x1b[31m"}).find('\x1b'), std::string::npos);
}

TEST(HelpText, LeadsWithExamples) {
  for (const Command& command : all_commands()) {
    const std::string help = help_text(command);
    const std::size_t examples = help.find("\nExamples:\n  spillway " + command.name);
    EXPECT_NE(examples, std::string::npos) << help;
    EXPECT_LT(examples, help.find("\nUsage: spillway " + command.name)) << help;
    EXPECT_NE(help.find("\nExit codes:\n"), std::string::npos) << help;
    EXPECT_GE(command.examples.size(), 2u) << command.name;
    EXPECT_LE(command.examples.size(), 4u) << command.name;
  }
}

TEST(HelpText, FitsItsColumnsAndNamesEveryOption) {
  for (const Command& command : all_commands()) {
    const std::string help = help_text(command);
    for (std::size_t begin = 0; begin < help.size();) {
      const std::size_t end = help.find('\n', begin);
      EXPECT_LE(end - begin, 115u) << help.substr(begin, end - begin);
      begin = end + 1;
    }
    for (const auto& group : command.groups) {
      for (const auto& option : group.options()) {
        EXPECT_NE(help.find("--" + option->long_name()), std::string::npos) << option->long_name();
        EXPECT_FALSE(option->description().empty()) << option->long_name();
      }
    }
  }
}

TEST(NearestName, KnowsNearFromFar) {
  const std::vector<std::string> names{"index", "search", "stats", "corpus generate text"};
  EXPECT_EQ(nearest_name("serch", names), "search");
  EXPECT_EQ(nearest_name("indxe", names), "index");
  EXPECT_EQ(nearest_name("sear", names), "search");
  EXPECT_EQ(nearest_name("merge", names), std::nullopt);
  EXPECT_EQ(nearest_name("", names), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(1000, 's'), names), std::nullopt);
}

}  // namespace
}  // namespace spillway
