#include "tools/commands/sort/options/collate.hpp"

#include <cstdlib>

#include "io/base/error.hpp"

namespace spillway {

namespace {

// C.UTF-8 orders by code points, and so does UTF-8 by its bytes.
bool means_bytes(const std::string& locale) { return locale == "C" || locale == "POSIX" || locale.starts_with("C."); }

}  // namespace

void use_collation(const std::string& locale, LineOrder& order) {
  if (means_bytes(locale)) return;
  order.collation = std::make_shared<const Collation>(locale);
  if (!order.keys.empty() && !order.breaks_ties()) return;
  LineKey whole;
  whole.rule.is_reversed = order.is_reversed;
  order.keys.push_back(whole);
}

std::optional<std::string> note_of_other_collation() {
  for (const char* const variable : {"LC_ALL", "LC_COLLATE"}) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    if (means_bytes(value)) return std::nullopt;
    const std::string locale = printable(value);
    const std::string note =
        "note: lines are compared by their bytes, and not as " + std::string(variable) + "=" + locale + " has it; ";
    if (has_other_encoding(value)) return note + "--collate takes UTF-8 alone, and --collate C ends this note";
    return note + "--collate " + locale + " does that, and --collate C ends this note";
  }
  return std::nullopt;
}

}  // namespace spillway
