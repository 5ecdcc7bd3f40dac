#include "corpora/html/tokenizer.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>
#include <zstd.h>

#include <chrono>

#include "tests/corpora/html/html_tokens.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/places.hpp"

namespace spillway::testing {
namespace {

HtmlContent content_of(std::string_view state) {
  if (state == "rcdata") return HtmlContent::kRcdata;
  if (state == "rawtext") return HtmlContent::kRawText;
  if (state == "script") return HtmlContent::kScript;
  return state == "plaintext" ? HtmlContent::kPlainText : HtmlContent::kData;
}

std::string unpacked_cases() {
  const std::string packed = read_bytes(source_directory() + "/tests/corpora/html/html5lib_tokenizer.jsonl.zst");
  std::string cases(ZSTD_getFrameContentSize(packed.data(), packed.size()), '\0');
  cases.resize(ZSTD_decompress(cases.data(), cases.size(), packed.data(), packed.size()));
  return cases;
}

// Calls check(name, input, state, name of the element, tokens) for each case.
template <typename Check>
std::size_t for_each_case(Check check) {
  const std::string cases = unpacked_cases();
  simdjson::dom::parser parser;
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < cases.size();) {
    const std::size_t end = cases.find('\n', begin);
    const simdjson::dom::element fields = parser.parse(simdjson::padded_string(cases.substr(begin, end - begin)));
    const auto text = [&](std::string_view name) { return std::string(fields[name].get_string().value()); };
    check(text("name"), text("input"), text("state"), text("last"), text("tokens"));
    begin = end + 1;
    ++count;
  }
  return count;
}

TEST(HtmlTokenizer, PassesTheTestsOfHtml5lib) {
  HtmlTokens tokens;
  const std::size_t count =
      for_each_case([&](const std::string& name, const std::string& input, const std::string& state,
                        const std::string& last, const std::string& expected) {
        tokens.is_in_svg = state == "cdata";
        const std::string html = (tokens.is_in_svg ? "<![CDATA[" : "") + input;
        for (const std::size_t piece : {html.size() + 1, std::size_t{1}, std::size_t{2}}) {
          EXPECT_EQ(tokens.read(html, piece, content_of(state), last), expected) << name << ", in pieces of " << piece;
        }
      });
  EXPECT_EQ(count, 7026u);
}

TEST(HtmlTokenizer, CutsLongNames) {
  HtmlTokens tokens;
  const std::string name(100, 'x');
  EXPECT_EQ(tokens.read("<" + name + " " + name + "=1>", 7), "<" + name.substr(36) + " " + name.substr(36) + "=\"1\">");
}

}  // namespace
}  // namespace spillway::testing
