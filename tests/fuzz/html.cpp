// HTML: tokens, titles and texts do not depend on where pieces are cut or which instructions read them; a text is valid
// UTF-8 without white space at its ends or twice.
#include "tests/corpora/html/html_tokens.hpp"
#include "tests/corpora/html/read_html.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

namespace {

void expect_normal(const std::string& text) {
  EXPECT_TRUE(is_valid_utf8(text));
  bool was_space = true;
  for (const char byte : text) {
    EXPECT_NE(byte, '\0');
    const bool is_space = is_html_space(byte);
    EXPECT_FALSE(is_space && was_space);
    was_space = is_space;
  }
  EXPECT_FALSE(was_space && !text.empty());
}

void expect_same_tokens(const std::string& html, HtmlContent content) {
  spillway::testing::HtmlTokens tokens;
  for (const bool is_in_svg : {false, true}) {
    tokens.is_in_svg = is_in_svg;
    const std::string whole = tokens.read(html, html.size() + 1, content, "script");
    EXPECT_EQ(tokens.read(html, 1, content, "script"), whole);
    EXPECT_EQ(tokens.read(html, 3, content, "script"), whole);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  const std::string html = repair_utf8(input.text);
  expect_same_tokens(html, static_cast<HtmlContent>(input.options / 8 % 5));
  const HtmlAttributeTexts attributes{.alternatives = (input.options & 1) != 0,
                                      .titles = (input.options & 2) != 0,
                                      .description = (input.options & 4) != 0};
  HtmlText exact(attributes, all_plain_markup_kernels().front().read);
  const spillway::testing::ReadHtml expected = spillway::testing::read_html(exact, html, 1);
  expect_normal(expected.title);
  expect_normal(expected.text);
  // Spaces after it let the fast loop read all of it.
  for (const std::string& padded : {html, html + std::string(130, ' ')}) {
    const spillway::testing::ReadHtml whole = spillway::testing::read_html(exact, padded, padded.size() + 1);
    for (const PlainMarkupKernel& kernel : all_plain_markup_kernels()) {
      HtmlText reader(attributes, kernel.read);
      EXPECT_TRUE(spillway::testing::read_html(reader, padded, padded.size() + 1) == whole) << kernel.name;
      EXPECT_TRUE(spillway::testing::read_html(reader, padded, 97) == whole) << kernel.name;
    }
    if (padded.size() == html.size()) {
      EXPECT_TRUE(whole == expected);
    }
  }
  return 0;
}
