// Converts a document of any encoding, which arrives in pieces, to UTF-8: it keeps bytes until the encoding is decided
// (detector.hpp), at most 64 KiB, and decodes from then on.
#pragma once

#include <string>

#include "corpora/charset/decoder.hpp"
#include "corpora/charset/detector.hpp"

namespace spillway {

class CharsetTextReader {
 public:
  // Starts a document. `out` must live until finish(); the label of the hints is copied.
  void start(const CharsetHints& hints, TextOutput& out);
  // The pieces may end anywhere; the result is the same.
  void feed(std::string_view bytes);
  // Ends the document.
  void finish();

  // How the encoding was decided. Requires: finish().
  const Charset& charset() const { return *charset_; }
  // Whether bytes that could not be decoded were replaced by U+FFFD.
  bool repaired() const { return decoder_.repaired(); }

 private:
  void decide(std::string_view begin, CharsetBytes bytes);

  CharsetDecoder decoder_;
  TextOutput* out_ = nullptr;
  std::string label_, kept_;
  CharsetMarkup markup_ = CharsetMarkup::kHtml;
  std::optional<Charset> charset_;
};

}  // namespace spillway
