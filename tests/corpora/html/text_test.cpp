#include "corpora/html/text.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/corpora/html/read_html.hpp"

namespace spillway::testing {
namespace {

constexpr HtmlAttributeTexts kAllAttributes{.alternatives = true, .titles = true, .description = true};

// Documents of random parts, most of them such as the fast loop reads.
std::string random_document(std::mt19937& random) {
  static constexpr std::string_view kParts[] = {
      "word ",
      "two words",
      "\n   ",
      "<p>",
      "</p>",
      "<b>",
      "</b>",
      "<td width=5>",
      "<a href=\"x>y\">",
      "</a>",
      "<a b='\"' c=\"d'\">",
      "<br/>",
      "<A HREF = 'x' >",
      "&amp;",
      "&nbsp;x",
      "&notit;",
      "&#32;",
      "&#x1F600",
      "<!-- <p> -->",
      "<script>a<b</script>",
      "<style>p{}</style>",
      "<title>T</title>",
      "\xC3\xA9t\xC3\xA9",
      "\xE6\xBC\xA2\xE5\xAD\x97",
      "<svg><title>x</title><text>y</text></svg>",
      "<template>",
      "</template>",
      "<img alt=\"a b\" title='t'>",
      "<meta name=description content='d e'>",
      "<a b= \"c>d\" e=f>",
      "<",
      "&",
      "a < b",
      "<blockquote>",
      "<my-element x=\"\">",
      "<textarea>x<p>y</textarea>",
      "<h1 class=\"one two three four five six seven eight nine ten eleven twelve\" id='x'>",
      "</h1>",
      "<p a=1 b=\"2>\">",
      "<noscript>n</noscript>",
      "plain text that is longer than one block of sixty-four bytes, and then some more of it "};
  std::string html;
  const std::size_t count = random() % 60;
  for (std::size_t i = 0; i < count; ++i) html += kParts[random() % std::size(kParts)];
  if (random() % 8 == 0) html += '\0';
  return html + std::string(random() % 2 == 0 ? 0 : 80, ' ');
}

TEST(HtmlText, BreaksWordsAtBlocksOnly) {
  EXPECT_EQ(html_text("foo<b>bar</b>baz"), "foobarbaz");
  EXPECT_EQ(html_text("foo<p>bar"), "foo\nbar");
  EXPECT_EQ(html_text("foo<br>bar<BR/>baz"), "foo\nbar\nbaz");
  EXPECT_EQ(html_text("foo<wbr>bar<span>baz</span>"), "foobarbaz");
  EXPECT_EQ(html_text("<table><tr><td>a<td>b<tr><th>c</table>d"), "a\nb\nc\nd");
  EXPECT_EQ(html_text("a<my-element>b</my-element>c"), "abc");
  EXPECT_EQ(html_text("a<blockquote>b</blockquote>c<figcaption>d</figcaption>"), "a\nb\nc\nd");
}

TEST(HtmlText, BreaksWordsAtImagesAndControls) {
  EXPECT_EQ(html_text("foo<img src=x>bar"), "foo\nbar");
  EXPECT_EQ(html_text("Name<input value=v><button>Go</button>"), "Name\nGo");
  EXPECT_EQ(html_text("a<select><option>b<option>c</select>d"), "a\nb\nc\nd");
  EXPECT_EQ(html_text("a<textarea>b <p> &amp;</textarea>c"), "a\nb <p> &\nc");
}

TEST(HtmlText, JoinsWhiteSpace) {
  EXPECT_EQ(html_text("  a \t\r\n b <p> \n c  </p>  "), "a b\nc");
  EXPECT_EQ(html_text("a <b> b </b> c"), "a b c");
  EXPECT_EQ(html_text("a&#32;&Tab;&NewLine;b"), "a b");
  EXPECT_EQ(html_text("a&nbsp;b"),
            "a\xC2\xA0"
            "b");
  EXPECT_EQ(html_text(""), "");
  EXPECT_EQ(html_text(" <p> </p> "), "");
}

TEST(HtmlText, TakesTheFirstTitle) {
  EXPECT_EQ(read_html("<title> A &amp; <b>\n</title>x<title>C</title>y"), (ReadHtml{"A & <b>", "x\ny"}));
  EXPECT_EQ(read_html("x<svg><title>A</title></svg><title>B</title>"), (ReadHtml{"B", "x\nA"}));
  EXPECT_EQ(read_html("<template><title>A</title></template><title>B</title>"), (ReadHtml{"B", ""}));
  EXPECT_EQ(read_html("<title>A"), (ReadHtml{"A", ""}));
  EXPECT_EQ(read_html("<title></title><title>A</title>"), (ReadHtml{"", ""}));
}

TEST(HtmlText, LeavesOutWhatNoBrowserShows) {
  EXPECT_EQ(html_text("a<script>if (b < c) x('</p>');</script>d"), "ad");
  EXPECT_EQ(html_text("a<script><!-- <script> </script> --></script>d"), "ad");
  EXPECT_EQ(html_text("a<style>p > b {}</style>d"), "ad");
  EXPECT_EQ(html_text("a<template>b<template>c</template>d</template>e"), "ae");
  EXPECT_EQ(html_text("a<!-- b -->c<!doctype d><?e?></ f>g"), "acg");
  EXPECT_EQ(html_text("a<iframe><p>b</iframe>c<noembed>d</noembed>e<noframes><p>f</noframes>g"), "a\nce\ng");
}

TEST(HtmlText, KeepsNoscriptAsAReaderWithoutScriptsSeesIt) {
  EXPECT_EQ(html_text("a<noscript>b<p>c</noscript>d"), "ab\ncd");
}

TEST(HtmlText, KeepsXmpAndPlaintextUnparsed) {
  EXPECT_EQ(html_text("a<xmp>b<p>&amp;</xmp>c"), "a\nb<p>&amp;\nc");
  EXPECT_EQ(html_text("a<plaintext>b</plaintext><p>&amp;"), "a\nb</plaintext><p>&amp;");
}

TEST(HtmlText, ReadsSvgAndMathByTheirOwnRules) {
  EXPECT_EQ(html_text("a<svg><style>b<c></style><script>d</script><text>e</text><![CDATA[f<g]]></svg>h"),
            "a\ne\nf<g\nh");
  EXPECT_EQ(html_text("a<svg><foreignObject><style>b<c></style><p>d</p></foreignObject></svg>e"), "a\nd\ne");
  EXPECT_EQ(html_text("a<svg><style>b<p>c<title>d</title>e"), "a\nc\ne") << "a <p> ends the svg and all in it";
  EXPECT_EQ(html_text("<svg><a>a<p>b"), "a\nb");
  EXPECT_EQ(html_text("a<math><mi>x</mi><mo>+</mo></math>b<![CDATA[c]]>"), "ax+b");
  EXPECT_EQ(html_text("a<svg/>b<script>c</script>d<svg><path/></svg><style>e</style>"), "a\nbd");
}

TEST(HtmlText, CountsDeepForeignElements) {
  std::string open, close;
  for (int i = 0; i < 100; ++i) {
    open += i % 2 == 0 ? "<svg>" : "<desc>";
    close += i % 2 == 0 ? "</desc>" : "</svg>";
  }
  EXPECT_EQ(read_html(open + "a" + close + "<title>T</title>b"), (ReadHtml{"T", "a\nb"}));
  EXPECT_EQ(read_html(open + "a" + close + close + "<style>c</style>b"), (ReadHtml{"", "a\nb"}));
}

TEST(HtmlText, AddsAttributesWhenAsked) {
  const std::string html =
      "<meta content=\"c &lt; d\" name=Description>a<img alt=\"x  y\" title=t alt=z>b<a title='q&quot;'>c</a><meta "
      "name=keywords content=k>";
  EXPECT_EQ(html_text(html), "a\nbc");
  EXPECT_EQ(html_text(html, {.alternatives = true}), "a\nx y\nbc");
  EXPECT_EQ(html_text(html, {.titles = true}), "a\nt\nb\nq\"\nc");
  EXPECT_EQ(html_text(html, {.description = true}), "c < d\na\nbc");
  EXPECT_EQ(html_text(html, kAllAttributes), "c < d\na\nx y\nt\nb\nq\"\nc");
  EXPECT_EQ(html_text("<template><img alt=x></template><img alt=y", kAllAttributes), "");
}

TEST(HtmlText, CutsLongAttributesAtACharacter) {
  std::string value = "x";
  while (value.size() < 70000) value += "\xC3\xA9";
  EXPECT_EQ(html_text("<img alt='" + value + "'>", {.alternatives = true}), value.substr(0, 65535));
}

TEST(HtmlText, DropsNulAndKeepsBrokenMarkup) {
  EXPECT_EQ(html_text(std::string("fo\0o<b>b\0ar</b>", 15)), "foobar");
  EXPECT_EQ(html_text("a < b & c <3 d<"), "a < b & c <3 d<");
  EXPECT_EQ(html_text("a</>b</"), "ab</");
  EXPECT_EQ(html_text("a<p class=\"b>c"), "a") << "an unclosed attribute takes the rest, as in browsers";
  EXPECT_EQ(html_text("a<!-- b"), "a");
}

// The fast loop may take a quote for one that opens a value only where it does.
TEST(HtmlText, FindsTheEndsOfTagsWithUnusualQuotes) {
  const std::string rest = "x" + std::string(200, ' ');
  for (const std::string_view tag :
       {"<a b= c=\"d>", "<a =\"b>", "<a \"b>", "<a b=c\"d>", "<a/=\"b>", "<a b=c=\"d>", "<a b='c\"'d\"=e>", "<a=\"b>",
        "<a b=\"c\"=\"d>", "<a b=\"c\"d=\"e>\">", "<a\"b=\"c>", "<a b='>'c='>'>", "<a b=''''>", "<a b=\"\"\">",
        "<a b=\"c\"/d=\">\">", "<a b =\"c>\">", "<a b\n=\n\"c>\">", "</a b=\">\">", "<a b=c d=\">\">"}) {
    EXPECT_EQ(html_text(std::string(tag) + rest), "x") << tag;
  }
}

TEST(HtmlText, IsTheSameHoweverPiecesAreCut) {
  std::mt19937 random(7);
  for (const HtmlAttributeTexts& attributes : {HtmlAttributeTexts{}, HtmlAttributeTexts{.alternatives = true},
                                               HtmlAttributeTexts{.description = true}, kAllAttributes}) {
    HtmlText exact(attributes, all_plain_markup_kernels().front().read);
    for (int round = 0; round < 500; ++round) {
      const std::string html = random_document(random);
      const ReadHtml expected = read_html(exact, html, html.size() + 1);
      EXPECT_EQ(read_html(exact, html, 1), expected) << html;
      for (const PlainMarkupKernel& kernel : all_plain_markup_kernels()) {
        HtmlText reader(attributes, kernel.read);
        for (const std::size_t piece : {html.size() + 1, std::size_t{100}, std::size_t{65}}) {
          EXPECT_EQ(read_html(reader, html, piece), expected) << kernel.name << ", pieces of " << piece << ": " << html;
        }
      }
    }
  }
}

TEST(HtmlText, WritesBoundedPiecesOfWholeCharacters) {
  std::string html, expected;
  for (int i = 0; i < 60000; ++i) {
    html += i % 3 == 0 ? "\xF0\x9F\x98\x80" : i % 3 == 1 ? "\xE6\xBC\xA2<b>" : " \n ";
    expected += i % 3 == 0 ? "\xF0\x9F\x98\x80" : i % 3 == 1 ? "\xE6\xBC\xA2" : " ";
  }
  expected.pop_back();
  struct Checked final : TextOutput {
    std::string text;
    void append(std::string_view piece) override {
      EXPECT_TRUE(is_valid_utf8(piece));
      EXPECT_LE(piece.size(), (64u << 10) + 128);
      text += piece;
    }
  };
  for (const PlainMarkupKernel& kernel : all_plain_markup_kernels()) {
    for (const std::string_view wrap : {"", "<title>"}) {
      HtmlText reader({}, kernel.read);
      Checked title, text;
      reader.start(title, text);
      reader.feed(wrap);
      reader.feed(wrap.empty() ? html : expected);
      reader.finish();
      EXPECT_EQ(wrap.empty() ? text.text : title.text, expected) << kernel.name;
    }
  }
}

TEST(HtmlText, ReadsDocumentsOneAfterTheOther) {
  HtmlText reader;
  for (const std::string_view open : {"<script>", "<title>", "<template>", "<svg><style>", "<!--", "<a b='", "&am"}) {
    read_html(reader, open, 100);
    EXPECT_EQ(read_html(reader, "<title>T</title>a", 100), (ReadHtml{"T", "a"})) << open;
  }
}

}  // namespace
}  // namespace spillway::testing
