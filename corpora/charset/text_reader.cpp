#include "corpora/charset/text_reader.hpp"

#include <algorithm>

namespace spillway {

void CharsetTextReader::start(const CharsetHints& hints, TextOutput& out) {
  label_ = hints.label;
  markup_ = hints.markup;
  out_ = &out;
  kept_.clear();
  charset_.reset();
}

// Decodes `begin` if the encoding can be decided.
void CharsetTextReader::decide(std::string_view begin, CharsetBytes bytes) {
  charset_ = detect_charset(begin, bytes, {label_, markup_});
  if (!charset_) return;
  decoder_.start(*charset_->encoding, *out_);
  decoder_.feed(begin.substr(charset_->mark_bytes));
}

void CharsetTextReader::feed(std::string_view bytes) {
  if (!charset_ && kept_.empty()) {
    decide(bytes, CharsetBytes::kSome);
    if (!charset_) kept_ = bytes;
    return;
  }
  if (!charset_) {
    const std::string_view begin = bytes.substr(0, kDetectBytes - std::min(kDetectBytes, kept_.size()));
    kept_ += begin;
    bytes.remove_prefix(begin.size());
    decide(kept_, CharsetBytes::kSome);
  }
  if (charset_) decoder_.feed(bytes);
}

void CharsetTextReader::finish() {
  if (!charset_) decide(kept_, CharsetBytes::kAll);
  decoder_.finish();
}

}  // namespace spillway
