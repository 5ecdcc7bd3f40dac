#include "corpora/html/elements.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

namespace spillway {

namespace {

// Elements that the WHATWG's style sheet (section 15.3) displays as blocks, list items, parts of tables or ruby text,
// "br", and boxes in a line, beside which no word goes on: images, controls and embedded content.
struct NamedElement {
  std::string_view name;
  HtmlElement element;
};

constexpr NamedElement kElements[] = {
    {"address", {true}},
    {"applet", {true}},
    {"area", {false, HtmlRole::kAlternative}},
    {"article", {true}},
    {"aside", {true}},
    {"audio", {true}},
    {"body", {true}},
    {"br", {true}},
    {"button", {true}},
    {"canvas", {true}},
    {"caption", {true}},
    {"center", {true}},
    {"col", {true}},
    {"colgroup", {true}},
    {"dd", {true}},
    {"details", {true}},
    {"dialog", {true}},
    {"dir", {true}},
    {"div", {true}},
    {"dl", {true}},
    {"dt", {true}},
    {"embed", {true}},
    {"fieldset", {true}},
    {"figure", {true}},
    {"footer", {true}},
    {"form", {true}},
    {"frame", {true}},
    {"frameset", {true}},
    {"h1", {true}},
    {"h2", {true}},
    {"h3", {true}},
    {"h4", {true}},
    {"h5", {true}},
    {"h6", {true}},
    {"head", {true}},
    {"header", {true}},
    {"hgroup", {true}},
    {"hr", {true}},
    {"html", {true}},
    {"iframe", {true, HtmlRole::kHidden}},
    {"image", {true, HtmlRole::kAlternative}},
    {"img", {true, HtmlRole::kAlternative}},
    {"input", {true, HtmlRole::kAlternative}},
    {"legend", {true}},
    {"li", {true}},
    {"listing", {true}},
    {"main", {true}},
    {"marquee", {true}},
    {"math", {false, HtmlRole::kForeign}},
    {"menu", {true}},
    {"meta", {false, HtmlRole::kMeta}},
    {"meter", {true}},
    {"nav", {true}},
    {"noembed", {false, HtmlRole::kHidden}},
    {"noframes", {true, HtmlRole::kHidden}},
    {"object", {true}},
    {"ol", {true}},
    {"optgroup", {true}},
    {"option", {true}},
    {"p", {true}},
    {"pre", {true}},
    {"progress", {true}},
    {"rp", {true}},
    {"rt", {true}},
    {"script", {false, HtmlRole::kScript}},
    {"search", {true}},
    {"section", {true}},
    {"select", {true}},
    {"style", {false, HtmlRole::kHidden}},
    {"summary", {true}},
    {"svg", {true, HtmlRole::kForeign}},
    {"table", {true}},
    {"tbody", {true}},
    {"td", {true}},
    {"template", {false, HtmlRole::kTemplate}},
    {"textarea", {true, HtmlRole::kTextarea}},
    {"tfoot", {true}},
    {"th", {true}},
    {"thead", {true}},
    {"title", {true, HtmlRole::kTitle}},
    {"tr", {true}},
    {"ul", {true}},
    {"video", {true}},
    {"xmp", {true, HtmlRole::kXmp}},
};
constexpr NamedElement kLongElements[] = {
    {"blockquote", {true}}, {"figcaption", {true}}, {"plaintext", {true, HtmlRole::kPlainText}}};
constexpr std::uint64_t pack_name(std::string_view name) {
  std::uint64_t packed = 0;
  for (std::size_t i = 0; i < name.size(); ++i) packed |= std::uint64_t{static_cast<std::uint8_t>(name[i])} << (8 * i);
  return packed;
}

}  // namespace

constexpr std::array<HtmlElementSlot, std::size_t{1} << kHtmlSlotBits> kHtmlSlots = [] {
  std::array<HtmlElementSlot, std::size_t{1} << kHtmlSlotBits> slots{};
  for (const NamedElement& named : kElements) {
    HtmlElementSlot& slot = slots[html_slot(pack_name(named.name))];
    if (slot.name != 0) throw std::logic_error("two names have one slot: find another multiplier for html_slot()");
    slot = {pack_name(named.name), named.element};
  }
  return slots;
}();

HtmlElement html_element(std::string_view name) {
  if (name.size() <= 8) return html_element_packed(pack_name(name));
  const auto found = std::find_if(std::begin(kLongElements), std::end(kLongElements),
                                  [name](const NamedElement& named) { return named.name == name; });
  return found == std::end(kLongElements) ? HtmlElement{} : found->element;
}

}  // namespace spillway
