// A command's options as plain text, for the manual page and the completions.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.hpp"

namespace spillway {

struct OptionText {
  std::string long_name;   // "--output"
  std::string short_name;  // "-o", or empty
  std::string value_name;  // "DIR"; empty for a flag
  std::string meaning;
  std::vector<std::string> choices = {};  // the names that the value may have, if there are such
};

struct OptionGroupText {
  std::string caption;
  std::vector<OptionText> options;
};

// The groups of a command in their order, followed by a group with --help and --version.
std::vector<OptionGroupText> option_table(const Command& command);

}  // namespace spillway
