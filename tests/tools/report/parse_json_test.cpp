#include "tools/report/parse_json.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"

namespace spillway {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_json("a.json", text, "do so");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "none";
}

std::string nested(int levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(ParseJson, NamesPathByteAndRemedy) {
  EXPECT_EQ(parse_json("a.json", R"({"a":[1,"]\"{"]})", "do so").at("a").at(1), "]\"{");
  EXPECT_EQ(refusal(""), "'a.json', byte 1: expected JSON, found an empty file; do so");
  EXPECT_EQ(refusal("{\"a\"").find("'a.json', byte 5: expected JSON: syntax error"), 0u) << refusal("{\"a\"");
  EXPECT_TRUE(refusal("{\"a\"").ends_with("; do so")) << refusal("{\"a\"");
  EXPECT_EQ(refusal("[1e999]").find("'a.json': expected JSON with numbers in range: "), 0u) << refusal("[1e999]");
  EXPECT_EQ(refusal("[\"\x1b[31m").find('\x1b'), std::string::npos) << "no control characters on a terminal";
}

// Recursion over the levels of a report ended the program.
TEST(ParseJson, RefusesTooManyLevels) {
  EXPECT_EQ(refusal(nested(kMostJsonLevels)), "none");
  EXPECT_EQ(refusal(nested(kMostJsonLevels + 1)),
            "'a.json', byte 201: expected JSON of at most 200 levels, found one more; do so");
  EXPECT_EQ(refusal("[\"" + std::string(1000, '[') + "\",\"\\\"[[" + std::string(1000, '{') + "\"]"), "none")
      << "brackets in strings are none";
}

}  // namespace
}  // namespace spillway
