#include "corpora/html/foreign.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace spillway {

namespace {

constexpr std::array<std::string_view, 5> kNames{"svg", "math", "foreignobject", "desc", "title"};

// Start tags of HTML that end all svg and math around them (WHATWG HTML, section 13.2.6.5), sorted.
constexpr std::array<std::string_view, 44> kBreakouts{
    "b",     "big",   "blockquote", "body",   "br",   "center", "code",  "dd", "div",  "dl",   "dt",
    "em",    "embed", "h1",         "h2",     "h3",   "h4",     "h5",    "h6", "head", "hr",   "i",
    "img",   "li",    "listing",    "menu",   "meta", "nobr",   "ol",    "p",  "pre",  "ruby", "s",
    "small", "span",  "strike",     "strong", "sub",  "sup",    "table", "tt", "u",    "ul",   "var"};
static_assert(std::is_sorted(kBreakouts.begin(), kBreakouts.end()));

std::uint8_t name_index(std::string_view name) {
  return static_cast<std::uint8_t>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
}

}  // namespace

void HtmlForeign::start_tag(std::string_view name) {
  if (name == "svg") return push(Kind::kSvg, name);
  if (name == "math") return push(Kind::kMath, name);
  if (!is_inside()) return;
  if (top() == Kind::kSvg && (name == "foreignobject" || name == "desc" || name == "title")) {
    push(Kind::kHtml, name);
  } else if (std::binary_search(kBreakouts.begin(), kBreakouts.end(), name)) {
    pop_to_html();
  }
}

void HtmlForeign::push(Kind kind, std::string_view name) {
  if (depth_ < kDeepest) levels_[depth_] = {kind, name_index(name)};
  ++depth_;
}

void HtmlForeign::pop_to_html() {
  while (is_inside()) --depth_;
}

void HtmlForeign::end_tag(std::string_view name) {
  if (!any()) return;
  if (is_inside() && (name == "p" || name == "br")) return pop_to_html();
  const std::uint8_t index = name_index(name);
  if (index == kNames.size()) return;
  if (depth_ > kDeepest) {
    --depth_;
    return;
  }
  for (std::uint64_t level = depth_; level > 0; --level) {
    if (levels_[level - 1].name != index) continue;
    depth_ = level - 1;
    return;
  }
}

}  // namespace spillway
