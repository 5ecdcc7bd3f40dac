#include "tools/report/parse_json.hpp"

#include <string_view>

#include "io/base/error.hpp"

namespace spillway {

namespace {

using nlohmann::ordered_json;

// The library's message without its own name and number: the reason stands after the first ": ", or after "] ".
std::string reason_of(const ordered_json::exception& error) {
  const std::string text = error.what();
  for (const char* before : {": ", "] "}) {
    if (const std::size_t at = text.find(before); at != std::string::npos) return text.substr(at + 2);
  }
  return text;
}

// Returns the place of the bracket that opens one level too many, or npos.
std::size_t too_deep_at(std::string_view text) {
  int levels = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      i += c == '\\' ? 1 : 0;
    } else if (c == '[' || c == '{') {
      if (++levels > kMostJsonLevels) return i;
    } else if (c == ']' || c == '}') {
      --levels;
    }
  }
  return std::string_view::npos;
}

}  // namespace

ordered_json parse_json(const std::string& path, const std::string& text, const std::string& remedy) {
  const auto fail = [&](std::size_t byte, const std::string& expected) {
    const std::string at = byte == 0 ? "" : ", byte " + std::to_string(byte);
    throw FormatError("'" + printable(path, 4096) + "'" + at + ": expected JSON" + expected + "; " + remedy);
  };
  if (text.empty()) fail(1, ", found an empty file");
  if (const std::size_t at = too_deep_at(text); at != std::string_view::npos) {
    fail(at + 1, " of at most " + std::to_string(kMostJsonLevels) + " levels, found one more");
  }
  try {
    return ordered_json::parse(text);
  } catch (const ordered_json::parse_error& error) {
    fail(error.byte, ": " + printable(reason_of(error), 400));
  } catch (const ordered_json::out_of_range& error) {  // a number such as 1e999
    fail(0, " with numbers in range: " + printable(reason_of(error), 400));
  }
  return {};
}

}  // namespace spillway
