// Follows svg and math in a document without its tree: whether the tokenizer is inside of them, where CDATA sections
// are text and elements such as "title" are none of HTML's. Constant memory: deeper than 32 levels it only counts.
#pragma once

#include <cstdint>
#include <string_view>

namespace spillway {

class HtmlForeign {
 public:
  void reset() { *this = HtmlForeign(); }
  // Follows a start tag that is not self-closing, or an end tag, by its name in lower case.
  void start_tag(std::string_view name);
  void end_tag(std::string_view name);
  // Whether the next tag is one of svg or math; false inside of an svg's "foreignObject", "desc" and "title".
  bool is_inside() const { return depth_ > 0 && top() != Kind::kHtml; }
  // Whether any svg or math is open.
  bool any() const { return depth_ > 0; }

 private:
  enum class Kind : std::uint8_t { kSvg, kMath, kHtml };
  static constexpr unsigned kDeepest = 32;
  Kind top() const { return levels_[(depth_ < kDeepest ? depth_ : kDeepest) - 1].kind; }
  void push(Kind kind, std::string_view name);
  void pop_to_html();

  struct Level {
    Kind kind = Kind::kSvg;
    std::uint8_t name = 0;  // index in the list of names
  };
  Level levels_[kDeepest];
  std::uint64_t depth_ = 0;
};

}  // namespace spillway
