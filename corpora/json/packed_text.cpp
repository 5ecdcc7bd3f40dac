#include "corpora/json/packed_text.hpp"

#include <algorithm>

#include "corpora/json/string.hpp"

namespace spillway {

bool PackedText::take(PackWordsFunction pack, const char*& in, char*& out, std::uint64_t& high, PieceRange& range) {
  range.begin = pieces_.size();
  for (bool ends = false; !ends;) {
    if (plain_left_ == 0) {
      if (const PackedPart part = pack(in, out); part.next != nullptr) {
        add_packed({out, static_cast<std::size_t>(part.out - out)}, part.count, range.begin);
        in = part.next;
        out = part.out;
        ends = part.ends_string;
        plain_bytes_ = kLeastPlainBytes;
        continue;
      }
      plain_left_ = plain_bytes_;
      plain_bytes_ = std::min(2 * plain_bytes_, kMostPlainBytes);
    }
    const UnescapedPart part = unescape_part_avx512(in, plain_left_, out, high);
    if (part.next == nullptr) return false;
    plain_left_ -= std::min(plain_left_, static_cast<std::size_t>(part.next - in));
    pieces_.push_back({.bytes = {out, static_cast<std::size_t>(part.out - out)}});
    in = part.next;
    out = part.out;
    ends = part.ends_string;
  }
  range.count = pieces_.size() - range.begin;
  return true;
}

// Joins parts, `first` being the first piece of the string.
void PackedText::add_packed(std::string_view bytes, std::size_t words, std::size_t first) {
  if (words == 0) return;
  if (pieces_.size() != first) {
    Piece& last = pieces_.back();
    if (last.is_packed && last.bytes.size() + bytes.size() <= kMostPackedBytes) {
      last.bytes = {last.bytes.data(), last.bytes.size() + bytes.size()};
      last.words += words;
      return;
    }
  }
  pieces_.push_back({bytes, words, true});
}

void PackedText::send(const PieceRange& range, DocumentSink& sink) const {
  for (std::size_t i = range.begin; i != range.begin + range.count; ++i) {
    const Piece& piece = pieces_[i];
    if (piece.is_packed) {
      sink.words(piece.bytes, piece.words);
    } else {
      sink.text(piece.bytes);
    }
  }
}

}  // namespace spillway
