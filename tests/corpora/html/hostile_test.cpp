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

// The least time of three, of one for long inputs.
double seconds_for(const std::string& html, const HtmlAttributeTexts& attributes) {
  double least = 1e9;
  for (int round = html.size() < std::size_t{16} << 20 ? 0 : 2; round < 3; ++round) {
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

// Whether twice the bytes take at most 2.5 times as long. Other programs may disturb a measurement, but not all of
// them.
bool takes_linear_time(std::string_view part, std::size_t bytes, const HtmlAttributeTexts& attributes) {
  const std::string html = repeated(part, bytes), twice = repeated(part, 2 * bytes);
  for (int attempt = 0; attempt < 6; ++attempt) {
    if (seconds_for(twice, attributes) <= 2.5 * seconds_for(html, attributes) + 0.005) return true;
  }
  return false;
}

TEST(SlowHtmlText, TakesTimeInProportionToTheInput) {
  constexpr HtmlAttributeTexts kAll{.alternatives = true, .titles = true, .description = true};
  for (const std::string_view part : kHostile) {
    for (const HtmlAttributeTexts& attributes : {HtmlAttributeTexts{}, kAll}) {
      EXPECT_TRUE(takes_linear_time(part, std::size_t{1} << 20, attributes)) << part;
    }
  }
}

// As above, up to the longest record that is read by default.
TEST(SlowHtmlText, TakesTimeInProportionUpTo64MiB) {
  for (const std::string_view part : kHostile) {
    EXPECT_TRUE(takes_linear_time(part, std::size_t{32} << 20, {})) << part;
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
