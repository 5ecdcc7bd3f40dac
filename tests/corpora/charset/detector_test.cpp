#include "corpora/charset/detector.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <sstream>

#include "tests/support/index_files.hpp"
#include "tests/support/places.hpp"

namespace spillway::testing {
namespace {

std::string detected(std::string_view bytes, CharsetBytes all = CharsetBytes::kAll) {
  const auto found = detect_charset(bytes, all, {});
  if (!found) return "undecided";
  return std::string(found->encoding->name) + " by " + std::string(charset_source_name(found->source));
}

// Their inputs are bytes, written as the characters of Latin 1. Where nothing is declared they expect windows-1252.
TEST(CharsetDetector, PassesTheTestsOfHtml5lib) {
  const std::string path = source_directory() + "/tests/corpora/charset/html5lib_encoding.jsonl";
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

std::string wide(std::string_view ascii, bool is_big_endian) {
  std::string bytes;
  for (const char c : ascii) bytes.append(is_big_endian ? std::string{'\0', c} : std::string{c, '\0'});
  return bytes;
}

TEST(CharsetDetector, KnowsUtf16WithoutAMark) {
  const std::string page = "<html><head><meta charset=koi8-r>";
  EXPECT_EQ(detected(wide(page, false)), "utf-16le by nul-bytes");
  EXPECT_EQ(detected(wide(page, true)), "utf-16be by nul-bytes");
  EXPECT_EQ(detected(wide("text", true)), "utf-16be by nul-bytes");
  EXPECT_EQ(detect_charset(wide(page, false), CharsetBytes::kAll, {"utf-8"})->encoding->name, "utf-16le");
  EXPECT_EQ(detected(wide(page, false).substr(0, 31), CharsetBytes::kSome), "undecided");
  EXPECT_EQ(detected(wide(page, false).substr(0, 32), CharsetBytes::kSome), "utf-16le by nul-bytes");
  EXPECT_EQ(detected(wide("abc", false)), "utf-8 by valid-utf-8");  // too few bytes
  EXPECT_EQ(detected("a" + wide(page, true)), "utf-16le by nul-bytes");
  EXPECT_EQ(detected("ab" + wide(page, true)), "utf-8 by valid-utf-8");  // the first pair has no NUL
  EXPECT_EQ(detected(std::string(64, '\0')), "utf-8 by valid-utf-8");
  EXPECT_EQ(detected(wide("a\r\n\tb", false)), "utf-16le by nul-bytes");
  EXPECT_EQ(detected(wide("\1\2\3\4", false)), "utf-8 by valid-utf-8");  // small numbers
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
