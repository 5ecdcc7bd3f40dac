// Finds where the members of a tar file begin and end. After damage it goes on at the next header whose checksum is
// right, so that damage costs the members that it hits and no others.
//
// libarchive is not used: it keeps the whole map of a sparse file, 360 MB for a tar file of 33 MB, which no budget can
// bound, and it stops at the first header with a wrong size. Tests compare with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "corpora/archive/piece.hpp"
#include "corpora/tar/header.hpp"

namespace spillway {

// The block of a piece is the data of a regular file; other members are pieces without one. In the terms of
// ArchivePiece, kCorrected is a file after which the tar file ends without a block of zeros, and kWrongLength one whose
// size goes beyond the end although other members follow. The block_bytes of kBadHeader are what is lost.
class TarFramer final : public ArchiveFramer {
 public:
  explicit TarFramer(PieceInput& input) : input_(input) {}

  std::optional<ArchivePiece> next() override;
  void resume() override { after_fault_ = true; }

 private:
  using Kind = ArchivePiece::Kind;
  struct Search {
    std::uint64_t dropped;
    bool found;
  };
  std::string_view block() { return input_.peek(kTarBlockBytes).substr(0, kTarBlockBytes); }
  bool at_header();
  std::uint64_t drop_zeros();
  Search drop_to_header();
  bool drop(std::uint64_t bytes);
  void take(std::string_view bytes);
  ArchivePiece read_member();
  ArchivePiece lose_header();
  ArchivePiece pass_data();
  ArchivePiece read_file();
  ArchivePiece cut_file();

  PieceInput& input_;
  TarHeaderReader reader_;
  std::uint64_t taken_ = 0;  // bytes of the header
  bool after_fault_ = false;
};

}  // namespace spillway
