// Reads HTML documents to their title and text, for tests.
#pragma once

#include <string>
#include <string_view>

#include "corpora/html/text.hpp"

namespace spillway::testing {

struct TextString final : TextOutput {
  std::string text;
  std::size_t longest_piece = 0;
  void append(std::string_view piece) override {
    text += piece;
    longest_piece = std::max(longest_piece, piece.size());
  }
};

struct ReadHtml {
  std::string title, text;
  bool operator==(const ReadHtml&) const = default;
};

inline ReadHtml read_html(HtmlText& reader, std::string_view html, std::size_t piece_bytes) {
  TextString title, text;
  reader.start(title, text);
  for (; !html.empty(); html.remove_prefix(std::min(piece_bytes, html.size()))) {
    reader.feed(html.substr(0, piece_bytes));
  }
  reader.finish();
  return {title.text, text.text};
}

inline ReadHtml read_html(std::string_view html, HtmlAttributeTexts attributes = {}) {
  HtmlText reader(attributes);
  return read_html(reader, html, html.size() + 1);
}

inline std::string html_text(std::string_view html, HtmlAttributeTexts attributes = {}) {
  return read_html(html, attributes).text;
}

}  // namespace spillway::testing
