#include "corpora/charset/detector.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <sstream>

#include "tests/support/index_files.hpp"

namespace spillway::testing {
namespace {

std::string detected(std::string_view bytes, CharsetBytes all = CharsetBytes::kAll) {
  const auto found = detect_charset(bytes, all, {});
  if (!found) return "undecided";
  return std::string(found->encoding->name) + " by " + std::string(charset_source_name(found->source));
}

// Their inputs are bytes, written as the characters of Latin 1. Where nothing is declared they expect windows-1252.
TEST(CharsetDetector, PassesTheTestsOfHtml5lib) {
  const std::string path = std::string(SPILLWAY_SOURCE_DIR) + "/tests/corpora/charset/html5lib_encoding.jsonl";
  std::istringstream lines(read_bytes(path));
  simdjson::dom::parser parser;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const simdjson::dom::element fields = parser.parse(simdjson::padded_string(line));
    const std::string_view data = fields["data"].get_string();
    std::string bytes;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const auto byte = static_cast<unsigned char>(data[i]);
      bytes += static_cast<char>(byte < 0x80 ? byte : (byte & 3) << 6 | (data[++i] & 0x3F));
    }
    const Charset found = *detect_charset(bytes, CharsetBytes::kAll, {});
    const bool is_declared = found.source == CharsetSource::kMark || found.source == CharsetSource::kDeclaration;
    const std::string_view expected = fields["encoding"].get_string();
    EXPECT_EQ(is_declared ? found.encoding->name : "windows-1252", find_encoding(expected)->name) << bytes;
  }
  EXPECT_EQ(count, 82u);
}

TEST(CharsetDetector, FollowsALateDeclarationWhereTheBytesAreNotUtf8) {
  const std::string late = std::string(2000, ' ') + "<meta charset=iso-8859-5>";
  EXPECT_EQ(detected(late), "iso-8859-5 by declaration");
  EXPECT_EQ(detected(late + "\xE1"), "iso-8859-5 by declaration");
  EXPECT_EQ(detected(late + "\xC3\xA9"), "utf-8 by valid-utf-8");
}

TEST(CharsetDetector, WaitsForTheBytesThatItNeeds) {
  EXPECT_EQ(detected("ab", CharsetBytes::kSome), "undecided");
  EXPECT_EQ(detected("<meta charset=big5>", CharsetBytes::kSome), "undecided");
  EXPECT_EQ(detected("<meta charset=big5>" + std::string(kDetectBytes, 'a'), CharsetBytes::kSome),
            "big5 by declaration");
  EXPECT_EQ(detected(std::string(kDetectBytes - 1, 'a'), CharsetBytes::kSome), "undecided");
  EXPECT_EQ(detected(std::string(kDetectBytes, 'a'), CharsetBytes::kSome), "utf-8 by valid-utf-8");
}

}  // namespace
}  // namespace spillway::testing
