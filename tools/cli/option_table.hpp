// A command's options as plain text, for what is written about them: the manual page and completions.
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
};

struct OptionGroupText {
  std::string caption;
  std::vector<OptionText> options;
};

// The groups of a command in their order, and one more with --help.
std::vector<OptionGroupText> option_table(const Command& command);

}  // namespace spillway
