// Unpacks the members of a gzip file ahead of the thread that reads the file in order. The file is cut into pieces;
// threads that have nothing better to do call help(), which looks for members that begin in the next piece and are
// whole by length and CRC. What it finds is only an offer: the reader asks for the member at a place that it has
// reached, and unpacks what is not on offer itself. The bytes that it reads are therefore those of a serial read,
// whatever lies in the file.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "corpora/unpack/codec.hpp"
#include "corpora/unpack/unpack_buffers.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

class GzipAhead {
 public:
  struct Size {
    std::size_t piece_bytes;
    std::size_t member_bytes;    // most of a member that is on offer, as stored
    std::size_t unpacked_bytes;  // of the members of a piece; what does not fit is left to the reader
  };
  // Members that libdeflate judges are those of at most Codec::kFirstStepBytes, which unpack to kHeldBytes or less. All
  // others are unpacked by zlib, here and by the reader, because the two libraries find different faults.
  static constexpr std::size_t kHeldBytes = std::size_t{448} << 10;
  // Pages of crawls unpack to about six times their size.
  static constexpr Size kShortMembers{std::size_t{64} << 10, std::size_t{64} << 10, std::size_t{1} << 20};
  static constexpr Size kAllMembers{std::size_t{512} << 10, std::size_t{1} << 20, std::size_t{8} << 20};
  static constexpr std::uint64_t kLeastFileBytes = std::uint64_t{1} << 20;  // smaller files are not worth the memory

  // `lanes`: threads that can help at once. The rooms, of size.unpacked_bytes each, that they need so that all of them
  // work while parsers read from as many others; 0 for none.
  static std::size_t room_count(unsigned lanes) { return lanes == 0 ? 0 : 2 * std::size_t{lanes} + 4; }
  // Memory beside the rooms; 0 for none.
  static std::size_t memory_bytes(unsigned lanes, const Size& size);
  static std::size_t all_bytes(unsigned lanes, const Size& size) {
    return memory_bytes(lanes, size) + room_count(lanes) * size.unpacked_bytes;
  }
  struct Resources {
    unsigned lanes;
    std::span<std::uint8_t> memory;        // memory_bytes(lanes, size), used until close()
    std::shared_ptr<UnpackBuffers> rooms;  // room_count(lanes)
    // Called by any thread, which holds no lock of this object, when help() has something to do.
    std::function<void()> wake;
  };
  // Looks for members from `begin` on in a file of `file_bytes`. Throws std::bad_alloc.
  GzipAhead(std::unique_ptr<ReadableFile> file, std::uint64_t file_bytes, std::uint64_t begin, const Size& size,
            Resources resources);
  ~GzipAhead();
  GzipAhead(const GzipAhead&) = delete;
  GzipAhead& operator=(const GzipAhead&) = delete;

  // Looks for the members of one piece. Returns false at once if no piece is wanted, or there is no room. Thread-safe.
  bool help();
  // The member that begins at this place in the file, if it is on offer. Waits until a thread has looked for it, so
  // others must call help() meanwhile. Places must ascend; those in a piece before that of the last call have no offers
  // any more. One thread may call it.
  std::optional<SharedMember> find(std::uint64_t position);
  // Ends waiting calls of find() and makes later ones find nothing, and help() too. Thread-safe.
  void stop();
  // stop(), waits for those that help, and gives the rooms back. After it, find() must not be called.
  void close();

 private:
  struct Found {
    std::uint64_t position;
    std::size_t stored_bytes, begin, bytes;
  };
  struct Slot {
    std::uint64_t piece = 0;  // that it holds or is being filled with
    bool is_filled = false, is_busy = false;
    std::shared_ptr<Buffer> room;  // of the members, until the reader has left the piece
    std::vector<Found> found;      // by position
  };
  class Unpacker;

  bool may_claim();
  Slot& claim(std::shared_ptr<Buffer> room);
  bool leave_pieces_before(std::uint64_t piece);
  void fill(Slot& slot, Unpacker& unpacker);
  std::string_view read(std::uint64_t piece, std::span<std::uint8_t> stored) const;
  void take_members(Slot& slot, std::string_view stored, Unpacker& unpacker) const;
  Slot& slot_of(std::uint64_t piece) { return slots_[static_cast<std::size_t>(piece % slots_.size())]; }

  const std::unique_ptr<ReadableFile> file_;
  const Size size_;
  const Resources resources_;
  const std::uint64_t file_bytes_, piece_count_;
  std::vector<Slot> slots_;
  std::mutex mutex_;  // guards the members below, and which thread may touch a slot
  std::condition_variable changed_;
  std::uint64_t next_piece_;  // to look for members in
  std::uint64_t read_piece_;  // that the reader has reached; those before it are no longer needed
  bool stopped_ = false;
  std::vector<std::unique_ptr<Unpacker>> unpackers_;  // one a lane
  std::vector<Unpacker*> idle_;                       // that no thread uses
};

}  // namespace spillway
