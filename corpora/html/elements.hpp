// What the text rules know of HTML's elements, by name: whether a tag breaks a word, and what the content means. The
// rules are written down in docs/html.md.
#pragma once

#include <array>
#include <cstddef>
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
  bool breaks_words = false;
  HtmlRole role = HtmlRole::kNone;
};

// An element of HTML by its name in lower case. Unknown elements are in line and have no role.
HtmlElement html_element(std::string_view name);

// A table of the names of up to 8 bytes, packed little-endian and zero-padded, each at a place of its own.
struct HtmlElementSlot {
  std::uint64_t name = 0;
  HtmlElement element;
};
inline constexpr unsigned kHtmlSlotBits = 9;
extern const std::array<HtmlElementSlot, std::size_t{1} << kHtmlSlotBits> kHtmlSlots;

// The place of a name: a multiplier that gives every name its own, found by trying.
constexpr std::size_t html_slot(std::uint64_t packed) { return (packed * 0xd39efd213a0113d9u) >> (64 - kHtmlSlotBits); }

inline HtmlElement html_element_packed(std::uint64_t name) {
  const HtmlElementSlot& slot = kHtmlSlots[html_slot(name)];
  return slot.name == name ? slot.element : HtmlElement{};
}

}  // namespace spillway
