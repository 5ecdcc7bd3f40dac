// The text of a JSON record for sinks that take packed words: parts of it are packed, the others unescaped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "corpora/document/sink.hpp"

namespace spillway {

// A string of the record as a range of pieces.
struct PieceRange {
  std::size_t begin = 0, count = 0;
};

class PackedText {
 public:
  void clear() { pieces_.clear(); }
  // Takes the string at `in`, which is after its opening quote, writes to `out`, and moves both to the end. Returns
  // false if the string is bad. Requires: has_unescape_avx512(), and what UnescapeFunction requires.
  bool take(PackWordsFunction pack, const char*& in, char*& out, std::uint64_t& high, PieceRange& range);
  void send(const PieceRange& range, DocumentSink& sink) const;

 private:
  struct Piece {
    std::string_view bytes;
    std::size_t words = 0;
    bool is_packed = false;
  };
  void add_packed(std::string_view bytes, std::size_t words, std::size_t first);

  std::vector<Piece> pieces_;
  // Where a part was refused, text after it often is, too: more and more of it is unescaped before the next attempt.
  static constexpr std::size_t kLeastPlainBytes = kMostPartBytes, kMostPlainBytes = 64 * kMostPartBytes;
  std::size_t plain_bytes_ = kLeastPlainBytes;  // to unescape if the next attempt fails
  std::size_t plain_left_ = 0;                  // to unescape before it, in this string and later ones
};

}  // namespace spillway
