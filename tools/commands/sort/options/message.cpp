#include "tools/commands/sort/options/message.hpp"

namespace spillway {

std::string quote(std::string_view text) { return "'" + printable(text, 4096) + "'"; }

std::string quoted_name(std::string_view name) {
  const std::string shown = printable(name, 4096);
  const bool is_plain = !name.empty() && shown.find_first_of(" \t!\"#$&'()*;<=>?[\\]^`{|}~") == std::string::npos;
  return is_plain ? shown : "'" + shown + "'";
}

}  // namespace spillway
