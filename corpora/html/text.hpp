// Turns an HTML document, which arrives in pieces, into its title and text, in constant memory and without a tree. The
// rules are written down in docs/html.md: blocks, table cells, images and controls break words, other elements do not;
// contents of script, style, template and what else no browser shows are no text; all other text is kept.
#pragma once

#include <string>

#include "corpora/html/elements.hpp"
#include "corpora/html/foreign.hpp"
#include "corpora/html/plain_markup.hpp"
#include "corpora/html/text_writer.hpp"
#include "corpora/html/tokenizer.hpp"

namespace spillway {

// Texts of attributes that become part of the text, each as a line of its own, cut to 64 KiB.
struct HtmlAttributeTexts {
  bool alternatives = false;  // alt of img, area and input
  bool titles = false;        // title of any element; reading is about three times slower then
  bool description = false;   // content of <meta name="description">
};

// One object reads any number of documents, one after the other; it keeps 70 KB.
class HtmlText final : private HtmlHandler {
 public:
  explicit HtmlText(HtmlAttributeTexts attributes = {}, ReadPlainMarkup read_plain = best_plain_markup_kernel());
  HtmlText(const HtmlText&) = delete;
  HtmlText& operator=(const HtmlText&) = delete;

  // Starts a document. The first title element goes to `title`, the text to `text`, in pieces of at most 64 KiB and 128
  // bytes, which are whole characters; a title may come after text. Both must live until finish().
  void start(TextOutput& title, TextOutput& text);
  // Requires: the pieces together are valid UTF-8; they may end anywhere. Throws what the outputs throw.
  void feed(std::string_view piece);
  // Ends the document.
  void finish();

 private:
  enum class Target : std::uint8_t { kText, kTitle, kNowhere };
  void characters(std::string_view text) override;
  bool open_tag(const HtmlTag& tag) override;
  void attribute(std::string_view name) override;
  void attribute_value(std::string_view piece) override;
  HtmlContent close_tag(HtmlTagEnd end) override;
  void comment() override {}
  void doctype() override {}
  bool in_foreign_content() const override { return foreign_.is_inside(); }

  // A value that an attribute of the current tag has; the first of its name counts.
  struct Value {
    bool is_there = false;
    std::string text;
  };
  bool is_plain() const;
  bool is_hidden() const { return templates_ > 0 || target_ == Target::kNowhere; }
  bool breaks_line() const;
  bool wants_attributes() const;
  void end_element();
  HtmlContent start_html_element();
  void start_foreign_element();
  HtmlContent start_title();
  HtmlContent start_hidden(HtmlContent content);
  Value* value_of(std::string_view name);
  void write_attributes();
  void write_line(const Value& value);

  const HtmlAttributeTexts attributes_;
  const ReadPlainMarkup read_plain_;
  const std::uint8_t stops_;  // for read_plain_
  HtmlTokenizer tokenizer_;
  HtmlTextWriter text_, title_;
  HtmlForeign foreign_;
  Target target_ = Target::kText;
  bool has_title_ = false;
  std::uint64_t templates_ = 0;  // open ones, nested
  HtmlElement element_;
  std::string name_;  // of the current tag
  bool is_end_tag_ = false;
  Value alternative_, title_value_, meta_name_, content_;
  Value* value_ = nullptr;  // of the current attribute; nullptr: not wanted
};

}  // namespace spillway
