// Bytes in memory as input for a WarcFramer, and all pieces that it makes of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/warc/framer.hpp"

namespace spillway::testing {

class MemoryPieces final : public PieceInput {
 public:
  struct Limits {
    std::size_t step = std::size_t{64} << 10;  // shown at a time, if no more is wanted
    std::uint64_t held = std::uint64_t{1} << 30;
    std::uint64_t credit = std::uint64_t{1} << 30;
  };
  MemoryPieces(std::string_view bytes, const Limits& limits) : bytes_(bytes), limits_(limits) {}
  explicit MemoryPieces(std::string_view bytes) : MemoryPieces(bytes, Limits()) {}

  std::string_view peek(std::size_t wanted) override {
    EXPECT_LE(wanted, kMaxPeekBytes);
    seen_ = std::min(bytes_.size(), at_ + std::max(wanted, limits_.step));
    return bytes_.substr(at_, seen_ - at_);
  }
  void take(std::size_t bytes) override {
    ASSERT_LE(at_ + bytes, seen_);
    if (piece.empty()) piece_begin = at_;
    piece += bytes_.substr(at_, bytes);
    at_ += bytes;
  }
  std::size_t take_some(std::uint64_t most) override {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, peek(1).size()));
    take(count);
    return count;
  }
  void drop(std::size_t bytes) override {
    ASSERT_LE(at_ + bytes, seen_);
    at_ += bytes;
  }
  bool holds_piece() const override { return piece.size() <= limits_.held; }
  bool give_back(std::uint64_t kept) override {
    EXPECT_LE(kept, piece.size());
    if (!holds_piece() || piece.size() - kept > limits_.credit) return false;
    limits_.credit -= piece.size() - kept;
    at_ = piece_begin + kept;
    piece.resize(kept);
    return true;
  }

  std::string piece;
  std::size_t piece_begin = 0;

 private:
  std::string_view bytes_;
  Limits limits_;
  std::size_t at_ = 0, seen_ = 0;
};

struct FoundPiece {
  WarcPiece piece;
  WarcHeader header;
  std::string header_text, block;
  std::size_t offset = 0;
};

inline std::vector<FoundPiece> find_pieces(std::string_view bytes, const MemoryPieces::Limits& limits = {}) {
  MemoryPieces input(bytes, limits);
  WarcFramer framer(input);
  std::vector<FoundPiece> found;
  while (const auto piece = framer.next()) {
    FoundPiece all{*piece, {}, "", "", input.piece_begin};
    if (piece->kind != WarcPiece::Kind::kJunk) {
      EXPECT_LE(piece->header_bytes + piece->block_bytes, input.piece.size());
      all.header = framer.header();
      all.header_text = input.piece.substr(0, piece->header_bytes);
      all.block = input.piece.substr(piece->header_bytes, piece->block_bytes);
    }
    found.push_back(std::move(all));
    input.piece.clear();
  }
  EXPECT_TRUE(input.peek(1).empty());
  return found;
}

inline std::vector<WarcPiece::Kind> kinds_of(const std::vector<FoundPiece>& pieces) {
  std::vector<WarcPiece::Kind> kinds;
  for (const auto& piece : pieces) kinds.push_back(piece.piece.kind);
  return kinds;
}

// The records' identities, of what is whole.
inline std::vector<std::string> whole_ids(const std::vector<FoundPiece>& pieces) {
  std::vector<std::string> ids;
  for (const auto& piece : pieces) {
    const bool is_whole =
        piece.piece.kind == WarcPiece::Kind::kRecord || piece.piece.kind == WarcPiece::Kind::kCorrected;
    if (is_whole) ids.push_back(external_id(piece.header));
  }
  return ids;
}

inline std::string warc_record(std::string_view id, std::string_view block, std::string_view type = "response") {
  std::string record = "WARC/1.0\r\nWARC-Type: ";
  record.append(type).append("\r\nWARC-Record-ID: <").append(id).append(">\r\nContent-Length: ");
  record.append(std::to_string(block.size())).append("\r\n\r\n").append(block).append("\r\n\r\n");
  return record;
}

// With another length than the block has.
inline std::string lying_record(std::string_view id, std::string_view block, std::string_view length) {
  std::string record = warc_record(id, block);
  const std::string right = "Content-Length: " + std::to_string(block.size());
  return record.replace(record.find(right), right.size(), "Content-Length: " + std::string(length));
}

}  // namespace spillway::testing
