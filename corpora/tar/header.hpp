// The headers of the members of a tar file: those of v7, ustar, star, GNU tar and pax.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "corpora/tar/pax.hpp"

namespace spillway {

inline constexpr std::size_t kTarBlockBytes = 512;

// Whether a block is a header by its checksum. Requires: kTarBlockBytes bytes.
bool is_tar_header(std::string_view block);

// Whether a file that begins so is a tar file: with a header, or with a damaged one that is still known as one.
bool is_tar_start(std::string_view head);

// Returns where the first header begins, or npos. Headers of v7, which have no magic, are found only at `aligned` and
// every kTarBlockBytes from there on; others anywhere.
std::size_t find_tar_header(std::string_view bytes, std::size_t aligned);

struct TarHeader {
  enum class Type : std::uint8_t {
    kFile,
    kSparse,     // a file that is stored without its holes
    kPart,       // the rest of a file that began in another volume
    kDirectory,  // of names only
    kVolume,     // about the tar file: a label, or what holds for all members
    kHardLink,
    kSymbolicLink,
    kDevice,  // and pipes
  };
  std::string name;  // as stored: any bytes
  Type type = Type::kFile;
  std::uint64_t stored_bytes = 0;  // of the data that follow, without padding
  bool has_more_map = false;       // kSparse of GNU tar: blocks of its map come before the data
  bool is_repaired = false;        // a part of an extended header was left out
};

// Reads the blocks of one header: extended headers and long names, if there are any, and the header itself.
class TarHeaderReader {
 public:
  enum class State : std::uint8_t { kOpen, kWhole, kBad };
  // Longer headers are bad.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;

  void reset();
  // Bytes after the header are left out.
  void feed(std::string_view bytes);
  State state() const { return state_; }
  // Whether the next bytes are those of a block that must be a header by its checksum.
  bool at_header() const { return body_left_ == 0 && padding_left_ == 0; }
  // Requires: State::kWhole. Before, the name may be known already.
  const TarHeader& header() const { return header_; }

 private:
  std::size_t feed_block(std::string_view bytes);
  std::size_t feed_body(std::string_view bytes);
  void read_block();
  void read_member(char type, std::uint64_t size);
  void start_body(char type, std::uint64_t size);
  void end_body();

  State state_ = State::kOpen;
  std::array<char, kTarBlockBytes> block_;
  std::size_t filled_ = 0;
  std::uint64_t bytes_ = 0;                         // of the header so far
  std::uint64_t body_left_ = 0, padding_left_ = 0;  // of an extended header or a long name
  char body_type_ = 0;
  std::string long_name_;
  PaxReader pax_;
  TarHeader header_;
};

}  // namespace spillway
