// The body of the kernels of plain_markup.cpp. It is included once for each instruction set, after
// SPILLWAY_HTML_TARGET, the target attribute, and a struct Vector, whose functions look at 64 bytes:
//   text_masks(bytes), tag_masks(bytes), find(bytes, byte): where the bytes are that TextMasks and TagMasks name
//   copy(bytes, masks, kept, to): copies the bytes of the mask `kept`, with white space as " ", and returns their end;
//   it may write 64 bytes

SPILLWAY_HTML_TARGET inline const char* find_quote(const char* at, const char* end, char quote) {
  for (; end - at >= 64; at += 64) {
    const std::uint64_t found = Vector::find(at, quote);
    if (found != 0) return at + std::countr_zero(found);
  }
  return nullptr;
}

// The end of the tag whose name ends at bit `from` of the window at `at`; nullptr if that is not plain to see. A quote
// opens a value if "=" is before it, a byte of a name before that, and no other "=" after the last value.
SPILLWAY_HTML_TARGET inline const char* find_tag_end(const char* at, const char* end, unsigned from, TagMasks masks) {
  for (;;) {
    const std::uint64_t after = ~std::uint64_t{0} << from;
    const std::uint64_t quotes = (masks.single_quotes | masks.double_quotes) & after;
    const std::uint64_t ends = masks.ends & after;
    if ((quotes | ends) == 0) return nullptr;
    const auto next = static_cast<unsigned>(std::countr_zero(quotes | ends));
    if ((ends >> next & 1) != 0) return at + next + 1;
    const std::uint64_t equals = masks.equals & after;
    const auto equal = static_cast<unsigned>(std::countr_zero(equals));
    if (equal + 1 != next || equal == from || (masks.gaps >> (equal - 1) & 1) != 0) return nullptr;
    const std::uint64_t same = ((masks.single_quotes >> next & 1) != 0 ? masks.single_quotes : masks.double_quotes);
    const std::uint64_t closing = next == 63 ? 0 : same & (~std::uint64_t{0} << (next + 1));
    if (closing != 0 && std::countr_zero(closing) < 48) {
      from = static_cast<unsigned>(std::countr_zero(closing)) + 1;
      continue;
    }
    const char* const quote = closing != 0 ? at + std::countr_zero(closing) : find_quote(at + 64, end, at[next]);
    if (quote == nullptr || end - quote < 65) return nullptr;
    at = quote + 1;
    from = 0;
    masks = Vector::tag_masks(at);
  }
}

SPILLWAY_HTML_TARGET std::size_t read_plain_markup(std::string_view html, std::uint8_t stops, HtmlTextWriter& writer) {
  const char* at = html.data();
  const char* const end = at + html.size();
  char* to = writer.end();
  std::uint64_t spaced = writer.is_spaced() ? 1 : 0;
  while (end - at >= 64 && to < writer.limit()) {
    const TextMasks text = Vector::text_masks(at);
    if (text.stops == 0) {
      to = Vector::copy(at, text, ~(text.spaces & (text.spaces << 1 | spaced)), to);
      spaced = text.spaces >> 63;
      at += 64;
      continue;
    }
    const auto count = static_cast<unsigned>(std::countr_zero(text.stops));
    if (count > 0) {
      const std::uint64_t below = (std::uint64_t{1} << count) - 1;
      to = Vector::copy(at, text, ~(text.spaces & (text.spaces << 1 | spaced)) & below, to);
      spaced = text.spaces >> (count - 1) & 1;
      at += count;
    }
    if (end - at < 64) break;
    if (*at != '<') {
      const PlainReference reference = *at == '&' ? read_plain_reference(at, to, spaced) : PlainReference{};
      if (reference.bytes == 0) break;
      at += reference.bytes;
      to = reference.to;
      spaced = reference.spaced;
      continue;
    }
    const TagMasks masks = Vector::tag_masks(at);
    const unsigned name = at[1] == '/' ? 2 : 1;
    const std::uint64_t name_ends = (masks.gaps | masks.ends) >> name;
    if (!is_html_letter(at[name]) || name_ends == 0) break;
    const auto length = static_cast<unsigned>(std::countr_zero(name_ends));
    const HtmlElement element = plain_element(at + name, length);
    if ((kRoleStops[static_cast<std::size_t>(element.role)] & (stops | kAlways)) != 0) break;
    const char* const tag_end = find_tag_end(at, end, name + length, masks);
    if (tag_end == nullptr) break;
    at = tag_end;
    const std::uint64_t breaks = element.breaks_words ? 1 : 0;
    to += breaks & ~spaced;
    to[-1] = breaks != 0 ? '\n' : to[-1];
    spaced |= breaks;
  }
  writer.set_end(to, spaced != 0);
  return static_cast<std::size_t>(at - html.data());
}
