// The pieces of an archive (records of a WARC, members of a tar file), which say themselves how long they are. A framer
// finds where they begin and end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace spillway {

// The bytes that a framer reads, and those of the piece that it is reading.
class PieceInput {
 public:
  static constexpr std::size_t kMaxPeekBytes = std::size_t{16} << 10;

  virtual ~PieceInput() = default;
  // The bytes from this place on: at least `wanted` (at most kMaxPeekBytes); fewer only at the end and before a fault
  // of the container, beyond which nothing can be seen. Valid until the next call.
  virtual std::string_view peek(std::size_t wanted) = 0;
  // Makes the next bytes part of the piece. Requires: peek() has shown them, here and below.
  virtual void take(std::size_t bytes) = 0;
  // Makes up to `most` of the next bytes part of the piece, whether peek() has shown them or not. Returns how many: 0
  // only at the end and before a fault. Requires: most > 0.
  virtual std::size_t take_some(std::uint64_t most) = 0;
  // Leaves the next bytes out of all pieces.
  virtual void drop(std::size_t bytes) = 0;
  // Whether the bytes of the piece are kept. Those of a piece that is too long are not.
  virtual bool holds_piece() const = 0;
  // Shortens the piece to its first `kept` bytes; the others come again. Returns false if they are not kept, or if so
  // much came again before that the time for hostile input would not be linear.
  virtual bool give_back(std::uint64_t kept) = 0;
};

struct ArchivePiece {
  enum class Kind : std::uint8_t {
    kRecord,
    kCorrected,    // whole, in spite of a fault such as a length that was wrong by one or two bytes
    kTooLong,      // a record that is not kept
    kBadHeader,    // a header that does not end, or two that have run into each other
    kNoLength,     // a header without a length that is a number; the block extends to the next record
    kWrongLength,  // by more than two bytes
    kCut,          // by the end of the input, or by a fault of the container
    kJunk          // bytes that belong to no record
  };
  Kind kind = Kind::kRecord;
  std::uint64_t header_bytes = 0, block_bytes = 0;
};

class ArchiveFramer {
 public:
  virtual ~ArchiveFramer() = default;
  // Reads the next piece. Returns nullopt at the end and before a fault of the container. The bytes of the piece are
  // what was taken: the header, and of a whole record also the block; those of junk are dropped.
  virtual std::optional<ArchivePiece> next() = 0;
  // The record that `bytes` hold alone, if next() would find just that where they and then `next` come; otherwise
  // nullopt.
  virtual std::optional<ArchivePiece> frame_alone(std::string_view, std::string_view) { return std::nullopt; }
  // After a fault of the container: what precedes the next record belongs to the record that the fault hit.
  virtual void resume() = 0;
};

}  // namespace spillway
