#include "tools/bench/mode_variant.hpp"

#include "tools/cli/option_values.hpp"

namespace spillway {

namespace {

// Cuts `text` at its first `separator`, and returns what stands behind it: empty where there is none.
std::string cut_behind(std::string& text, char separator) {
  const std::size_t place = text.find(separator);
  if (place == std::string::npos) return "";
  std::string behind = text.substr(place + 1);
  if (behind.empty()) {
    throw UsageError("--modes '" + printable(text) + "': expected a value behind '" + separator + "'");
  }
  text.resize(place);
  return behind;
}

}  // namespace

const std::vector<std::string>& concrete_mode_names() {
  static const std::vector<std::string> kNames{"cpu", "cpu+", "gpu", "gpu+"};
  return kNames;
}

ModeVariant parse_mode_variant(std::string_view text) {
  ModeVariant variant;
  variant.text = variant.mode = text;
  variant.threads = cut_behind(variant.mode, '@');
  variant.record_sorter = cut_behind(variant.mode, ':');
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
