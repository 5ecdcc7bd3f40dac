// Writes the tokens of an HTML document as lines, for tests: <name attribute="value"> with a "/" if it is self-closing,
// </name>, "text", <!> for a comment and <!D> for a document type.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "corpora/html/tokenizer.hpp"

namespace spillway::testing {

class HtmlTokens final : private HtmlHandler {
 public:
  bool is_in_svg = false;  // whether the document is inside of an svg

  // Reads a document in pieces of `piece_bytes`. Content other than kData: it is inside of an element `name`.
  std::string read(std::string_view html, std::size_t piece_bytes, HtmlContent content = HtmlContent::kData,
                   std::string_view name = {}) {
    lines_.clear();
    HtmlTokenizer tokenizer(*this);
    tokenizer.start_inside(content, name);
    for (; !html.empty(); html.remove_prefix(std::min(piece_bytes, html.size()))) {
      tokenizer.feed(html.substr(0, piece_bytes));
    }
    tokenizer.finish();
    end_text();
    return lines_;
  }

 private:
  void add(std::string_view line) {
    if (!lines_.empty()) lines_ += '\n';
    lines_ += line;
  }
  void end_text() {
    if (!text_.empty()) add('"' + text_ + '"');
    text_.clear();
  }
  void characters(std::string_view text) override { text_ += text; }
  bool open_tag(const HtmlTag& tag) override {
    name_ = tag.name;
    is_end_ = tag.is_end;
    attributes_.clear();
    value_ = nullptr;
    return !is_end_;
  }
  void attribute(std::string_view name) override {
    const auto [entry, is_new] = attributes_.try_emplace(std::string(name));
    value_ = is_new ? &entry->second : nullptr;
  }
  void attribute_value(std::string_view piece) override {
    if (value_ != nullptr) *value_ += piece;
  }
  HtmlContent close_tag(HtmlTagEnd end) override {
    end_text();
    std::string line = (is_end_ ? "</" : "<") + name_;
    for (const auto& [name, value] : attributes_) line += ' ' + name + "=\"" + value + '"';
    add(line + (end == HtmlTagEnd::kSelfClosing && !is_end_ ? "/>" : ">"));
    return HtmlContent::kData;
  }
  void comment() override { end_text(), add("<!>"); }
  void doctype() override { end_text(), add("<!D>"); }
  bool in_foreign_content() const override { return is_in_svg; }

  std::string lines_, text_, name_;
  bool is_end_ = false;
  std::map<std::string, std::string> attributes_;
  std::string* value_ = nullptr;
};

}  // namespace spillway::testing
