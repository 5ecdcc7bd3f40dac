// Decodes pieces of bytes, for tests.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "corpora/charset/decoder.hpp"
#include "corpora/charset/text_reader.hpp"

namespace spillway::testing {

struct Decoded {
  std::string text;
  bool repaired = false;
  bool operator==(const Decoded&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Decoded& decoded) {
  return out << decoded.text << (decoded.repaired ? " (repaired)" : "");
}

// Collects fragments, and fails if one is not of whole characters.
class WholeCharacters final : public TextOutput {
 public:
  void append(std::string_view fragment) override {
    are_whole = are_whole && is_valid_utf8(fragment);
    text += fragment;
  }
  std::string text;
  bool are_whole = true;
};

inline Decoded decode(CharsetDecoder& decoder, const Encoding& encoding, const std::vector<std::string_view>& pieces) {
  WholeCharacters out;
  decoder.start(encoding, out);
  for (const std::string_view piece : pieces) decoder.feed(piece);
  decoder.finish();
  return {out.are_whole ? out.text : "a fragment that is not whole characters", decoder.repaired()};
}

}  // namespace spillway::testing
