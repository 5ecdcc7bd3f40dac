#include "corpora/records/page_text.hpp"

#include <algorithm>

namespace spillway {

void PageText::Title::append(std::string_view fragment) {
  text += utf8_prefix(fragment, kTitleBytes - std::min(kTitleBytes, text.size()));
}

void PageText::start(const MediaType& declared, TextOutput& text) {
  mime_ = declared.mime;
  start_.clear();
  title_.text.clear();
  repairer_.reset();
  is_recognised_ = false;
  kind_ = MediaKind::kOther;
  text_ = &text;
}

bool PageText::body(std::string_view piece) {
  if (is_recognised_) {
    if (kind_ == MediaKind::kOther) return false;
    feed(piece);
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
  kind_ = media_kind(mime_, start_);
  if (kind_ == MediaKind::kOther) return false;
  if (kind_ == MediaKind::kHtml) html_.start(title_, *text_);
  std::string_view bytes = start_;
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  feed(bytes);
  return true;
}

void PageText::feed(std::string_view piece) {
  repairer_.feed(piece, kind_ == MediaKind::kHtml ? static_cast<TextOutput&>(to_html_) : *text_);
}

void PageText::finish() {
  if (!is_recognised_ && !recognise()) return;
  if (kind_ == MediaKind::kOther) return;
  repairer_.finish(kind_ == MediaKind::kHtml ? static_cast<TextOutput&>(to_html_) : *text_);
  if (kind_ == MediaKind::kHtml) html_.finish();
}

}  // namespace spillway
