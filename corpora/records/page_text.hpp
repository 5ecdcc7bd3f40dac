// Turns the body of a page, which arrives in pieces, into text and title: recognises what it is, makes valid UTF-8 of
// it, and leaves the markup out.
#pragma once

#include <string>
#include <string_view>

#include "corpora/charset/text_reader.hpp"
#include "corpora/document/utf8.hpp"
#include "corpora/html/text.hpp"
#include "corpora/http/body_stage.hpp"
#include "corpora/http/response_head.hpp"
#include "corpora/records/media_kind.hpp"

namespace spillway {

class PageText final : public BodyOutput {
 public:
  // The most bytes of a title that are kept, so that a longer one is noticed.
  static constexpr std::size_t kTitleBytes = 65535 + 8;

  // Starts a page of the declared type. Its text goes to `text`, which must live until finish().
  void start(const MediaType& declared, TextOutput& text);
  // Reads a piece of the body. Returns false once it is clear that the page has no text.
  bool body(std::string_view piece) override;
  void finish();
  // kOther: the page has no text.
  MediaKind kind() const { return kind_; }
  // Whether the body begins with markup, whatever was declared. Requires: finish().
  bool starts_with_markup() const { return spillway::starts_with_markup(label_, start_); }
  std::string_view title() const { return title_.text; }
  // Whether bytes that could not be decoded became U+FFFD. Requires: finish().
  bool repaired() const { return kind_ != MediaKind::kOther && reader_.repaired(); }

 private:
  struct Title final : TextOutput {
    void append(std::string_view fragment) override;
    std::string text;
  };
  struct Html final : TextOutput {
    explicit Html(HtmlText& to) : html(to) {}
    void append(std::string_view fragment) override { html.feed(fragment); }
    HtmlText& html;
  };
  bool recognise();

  HtmlText html_;
  Html to_html_{html_};
  Title title_;
  CharsetTextReader reader_;
  std::string mime_, label_, start_;  // the first bytes, until they tell what the page is
  bool is_recognised_ = false;
  MediaKind kind_ = MediaKind::kOther;
  TextOutput* text_ = nullptr;
};

}  // namespace spillway
