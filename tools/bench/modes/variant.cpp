#include "tools/bench/modes/variant.hpp"

#include "tools/cli/option_values.hpp"

namespace spillway {

namespace {

// Truncates `text` at its first `separator` and returns the rest after it; returns nothing if there is no separator.
std::string cut_after(std::string& text, char separator) {
  const std::size_t place = text.find(separator);
  if (place == std::string::npos) return "";
  std::string rest = text.substr(place + 1);
  if (rest.empty()) {
    throw UsageError("--modes '" + printable(text) + "': expected a value after '" + separator + "'");
  }
  text.resize(place);
  return rest;
}

}  // namespace

const std::vector<std::string>& concrete_mode_names() {
  static const std::vector<std::string> kNames{"cpu", "cpu+", "gpu", "gpu+"};
  return kNames;
}

ModeVariant parse_mode_variant(std::string_view text) {
  ModeVariant variant;
  variant.text = variant.mode = text;
  variant.threads = cut_after(variant.mode, '@');
  variant.record_sorter = cut_after(variant.mode, ':');
  parse_choice("--modes", variant.mode, concrete_mode_names());
  return variant;
}

Arguments arguments_of(const ModeVariant& variant, const Arguments& arguments) {
  Arguments result = arguments.with("mode", variant.mode);
  if (!variant.record_sorter.empty()) result = result.with("record-sorter", variant.record_sorter);
  if (!variant.threads.empty()) result = result.with("threads", variant.threads);
  return result;
}

}  // namespace spillway
