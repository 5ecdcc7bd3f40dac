// Finds where the records of a web archive begin and end. A record says how long it is; the framer believes it if
// another record, or the end, follows there. Otherwise it searches for the next place that begins like a record, so
// that damage costs the records that it hits and no others.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "corpora/archive/piece.hpp"
#include "corpora/warc/header.hpp"
#include "corpora/warc/start.hpp"

namespace spillway {

using WarcPiece = ArchivePiece;

class WarcFramer final : public ArchiveFramer {
 public:
  explicit WarcFramer(PieceInput& input) : input_(input) {}

  std::optional<WarcPiece> next() override;
  std::optional<WarcPiece> frame_alone(std::string_view bytes, std::string_view next) override;
  void resume() override { after_fault_ = true; }
  // Of the piece that next() returned, unless it is junk.
  const WarcHeader& header() const { return reader_.header(); }

 private:
  using Kind = WarcPiece::Kind;
  bool at_record();
  void drop_line_ends();
  std::uint64_t take_line_ends();
  std::size_t find_start(std::string_view bytes, std::size_t last);
  std::optional<WarcPiece> skip_junk();
  WarcPiece read_record();
  WarcPiece read_block();
  WarcPiece check_end(std::uint64_t line_ends);
  WarcPiece check_start_of_next(const WarcPiece& whole);
  WarcPiece recover(Kind kind, std::uint64_t kept);
  bool take_to_record(std::uint64_t most);
  void take(std::string_view bytes);
  WarcPiece piece(Kind kind) const;

  PieceInput& input_;
  WarcHeaderReader reader_;
  std::optional<WarcKind> kind_;  // of the file, by the first record found
  std::uint64_t taken_ = 0;       // bytes of the piece
  std::uint64_t line_ends_ = 0;   // the last of them that are CR or LF
  bool after_fault_ = false;
};

}  // namespace spillway
