// Time and memory for inputs that are made to cost much.
#include <gtest/gtest.h>
#include <time.h>

#include "corpora/html/text.hpp"
#include "tests/support/guarded_text.hpp"

namespace spillway::testing {
namespace {

class Discard final : public TextOutput {
 public:
  void append(std::string_view piece) override { longest = std::max(longest, piece.size()); }
  std::size_t longest = 0;
};

double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string repeated(std::string_view part, std::size_t bytes) {
  std::string html = "<p>";
  while (html.size() < bytes) html += part;
  return html;
}

// The least time of `rounds`.
double seconds_for(const std::string& html, const HtmlAttributeTexts& attributes, int rounds = 3) {
  double least = 1e9;
  for (int round = 0; round < rounds; ++round) {
    HtmlText reader(attributes);
    Discard title, text;
    const double begin = thread_seconds();
    reader.start(title, text);
    for (std::size_t at = 0; at < html.size(); at += 256 << 10) {
      reader.feed(std::string_view(html).substr(at, 256 << 10));
    }
    reader.finish();
    least = std::min(least, thread_seconds() - begin);
    EXPECT_LE(std::max(title.longest, text.longest), (64u << 10) + 128);
  }
  return least;
}

constexpr std::string_view kHostile[] = {"<",
                                         "<!--",
                                         "<!",
                                         "<a b=\"",
                                         "<a b='c d=\"",
                                         "&",
                                         "&a",
                                         "&lt",
                                         "&#",
                                         "&#x1",
                                         "&CounterClock",
                                         "<b>",
                                         "<div><p>",
                                         "<svg>",
                                         "<svg><desc>",
                                         "<template>",
                                         "<a ",
                                         "<a b=c d=\"e>\">",
                                         "</",
                                         "<![CDATA[",
                                         "<script>",
                                         "<script><!--<script>",
                                         "--",
                                         "<title>",
                                         "</title>",
                                         "\n<",
                                         "a",
                                         " ",
                                         "<a b=\"c\" ",
                                         "<img alt='",
                                         "<svg><style>",
                                         "</svg>",
                                         "</template>",
                                         "<p title=x>"};

TEST(SlowHtmlText, TakesTimeInProportionToTheInput) {
  constexpr HtmlAttributeTexts kAll{.alternatives = true, .titles = true, .description = true};
  const std::size_t bytes = std::size_t{1} << 20;
  for (const std::string_view part : kHostile) {
    for (const HtmlAttributeTexts& attributes : {HtmlAttributeTexts{}, kAll}) {
      const double once = seconds_for(repeated(part, bytes), attributes);
      const double twice = seconds_for(repeated(part, 2 * bytes), attributes);
      EXPECT_LE(twice, 2.5 * once + 0.005) << part;
    }
  }
}

// As above, up to the longest record that is read by default.
TEST(SlowHtmlText, TakesTimeInProportionUpTo64MiB) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  for (const std::string_view part : kHostile) {
    const std::string html = repeated(part, kBytes);
    const double half = seconds_for(html.substr(0, kBytes / 2), {}, 1);
    const double whole = seconds_for(html, {}, 1);
    EXPECT_LE(whole, 2.5 * half + 0.02) << part;
  }
}

TEST(HtmlText, ReadsNoByteOutsideOfAPiece) {
  const std::string html = "<p class=\"one two three four\">text of some words &amp; more<a href='x'>y</a> <b title=\"";
  for (const PlainMarkupKernel& kernel : all_plain_markup_kernels()) {
    HtmlText reader({}, kernel.read);
    for (std::size_t count = 0; count <= 3 * html.size(); ++count) {
      const GuardedText guarded((html + "z\">" + html + "z\">" + html).substr(0, count));
      Discard title, text;
      reader.start(title, text);
      reader.feed(guarded.view());
      reader.finish();
    }
  }
}

}  // namespace
}  // namespace spillway::testing
