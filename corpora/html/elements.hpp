// What the text rules know of HTML's elements, by name: whether a tag breaks a word, and what the content means. The
// rules are written down in docs/html.md.
#pragma once

#include <cstdint>
#include <string_view>

namespace spillway {

enum class HtmlRole : std::uint8_t {
  kNone,
  kTitle,
  kTextarea,
  kHidden,  // raw text that no browser shows: iframe, noembed, noframes, style
  kScript,
  kXmp,
  kPlainText,
  kTemplate,
  kForeign,      // svg, math
  kAlternative,  // has an attribute alt
  kMeta
};

struct HtmlElement {
  std::string_view name;
  bool breaks_words = false;
  HtmlRole role = HtmlRole::kNone;
};

// Elements of HTML by a name in lower case. Unknown elements are in line and have no role.
const HtmlElement& html_element(std::string_view name);

// The same for names of up to 8 bytes, packed little-endian and zero-padded.
const HtmlElement& html_element_packed(std::uint64_t name);

}  // namespace spillway
