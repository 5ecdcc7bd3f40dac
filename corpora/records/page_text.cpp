#include "corpora/records/page_text.hpp"

#include <algorithm>

namespace spillway {

void PageText::Title::append(std::string_view fragment) {
  text += utf8_prefix(fragment, kTitleBytes - std::min(kTitleBytes, text.size()));
}

void PageText::start(const MediaType& declared, TextOutput& text) {
  mime_ = declared.mime;
  label_ = declared.charset;
  start_.clear();
  title_.text.clear();
  is_recognised_ = false;
  kind_ = MediaKind::kOther;
  text_ = &text;
}

bool PageText::body(std::string_view piece) {
  if (is_recognised_) {
    if (kind_ == MediaKind::kOther) return false;
    reader_.feed(piece);
    return true;
  }
  const std::size_t count = std::min(piece.size(), kMediaSniffBytes - start_.size());
  start_ += piece.substr(0, count);
  if (start_.size() < kMediaSniffBytes) return true;
  return recognise() && body(piece.substr(count));
}

// Returns whether the page has text.
bool PageText::recognise() {
  is_recognised_ = true;
  kind_ = media_kind(mime_, label_, start_);
  if (kind_ == MediaKind::kOther) return false;
  const bool is_html = kind_ == MediaKind::kHtml;
  if (is_html) html_.start(title_, *text_);
  const CharsetMarkup markup = is_html ? CharsetMarkup::kHtml : CharsetMarkup::kPlainText;
  reader_.start({label_, markup}, is_html ? static_cast<TextOutput&>(to_html_) : *text_);
  reader_.feed(start_);
  return true;
}

void PageText::finish() {
  if (!is_recognised_ && !recognise()) return;
  if (kind_ == MediaKind::kOther) return;
  reader_.finish();
  if (kind_ == MediaKind::kHtml) html_.finish();
}

}  // namespace spillway
