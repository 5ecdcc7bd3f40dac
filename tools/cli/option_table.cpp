#include "tools/cli/option_table.hpp"

#include <sstream>

namespace spillway {

namespace {

OptionText option_text(const boost::program_options::option_description& option) {
  OptionText text;
  text.long_name = "--" + option.long_name();
  const std::string name =
      option.canonical_display_name(boost::program_options::command_line_style::allow_dash_for_short);
  if (name.starts_with('-') && !name.starts_with("--")) text.short_name = name;
  if (option.semantic()->max_tokens() != 0) text.value_name = option.semantic()->name();
  text.meaning = option.description();
  text.choices = choices_of(option);
  return text;
}

}  // namespace

std::vector<OptionGroupText> option_table(const Command& command) {
  std::vector<OptionGroupText> groups;
  for (const auto& group : command.groups) {
    OptionGroupText text;
    std::ostringstream whole;
    whole << group;  // Boost gives the caption only here
    text.caption = whole.str().substr(0, whole.str().find(":\n"));
    for (const auto& option : group.options()) text.options.push_back(option_text(*option));
    groups.push_back(std::move(text));
  }
  const bool has_letters = !command.run_words;
  groups.push_back({"Help",
                    {{"--help", has_letters ? "-h" : "", "", "show examples, options and exit codes"},
                     {"--version", has_letters ? "-V" : "", "", "show the version"}}});
  return groups;
}

}  // namespace spillway
