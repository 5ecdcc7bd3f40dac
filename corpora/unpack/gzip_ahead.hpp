// Unpacks the members of a gzip file on threads of its own, ahead of the thread that reads the file in order. The file
// is cut into pieces; a thread looks for members that begin in a piece and are whole by length and CRC.
// What it finds is only an offer: the reader asks for the member at a place that it has reached, and unpacks what is
// not on offer itself. The bytes that it reads are therefore those of a serial read, whatever lies in the file.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
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
  static constexpr std::uint64_t kLeastFileBytes = std::uint64_t{1} << 20;  // smaller files are not worth the threads

  // The rooms, of size.unpacked_bytes each, that `threads` threads need so that all of them work while parsers read
  // from as many others; 0 for none.
  static std::size_t room_count(unsigned threads) { return threads == 0 ? 0 : 2 * std::size_t{threads} + 4; }
  // Memory beside the rooms; 0 for none.
  static std::size_t memory_bytes(unsigned threads, const Size& size);
  static std::size_t all_bytes(unsigned threads, const Size& size) {
    return memory_bytes(threads, size) + room_count(threads) * size.unpacked_bytes;
  }
  // Looks for members from `begin` on in a file of `file_bytes`. `memory`: memory_bytes(threads, size), which outlives
  // this object. `rooms`: room_count(threads). If the system has no more threads, there are fewer offers. Throws
  // std::bad_alloc.
  GzipAhead(std::unique_ptr<ReadableFile> file, std::uint64_t file_bytes, std::uint64_t begin, unsigned threads,
            const Size& size, std::span<std::uint8_t> memory, std::shared_ptr<UnpackBuffers> rooms);
  ~GzipAhead();
  GzipAhead(const GzipAhead&) = delete;
  GzipAhead& operator=(const GzipAhead&) = delete;

  // The member that begins at this place in the file, if it is on offer. Waits for a thread that is looking for it.
  // Places must ascend; those in a piece before that of the last call have no offers any more. One thread may call it.
  std::optional<SharedMember> find(std::uint64_t position);

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

  void work(Unpacker& unpacker);
  bool may_claim();
  void leave_pieces_before(std::uint64_t piece);
  void fill(Slot& slot, Unpacker& unpacker);
  std::string_view read(std::uint64_t piece, std::span<std::uint8_t> stored) const;
  void take_members(Slot& slot, std::string_view stored, Unpacker& unpacker) const;
  Slot& slot_of(std::uint64_t piece) { return slots_[static_cast<std::size_t>(piece % slots_.size())]; }

  const std::unique_ptr<ReadableFile> file_;
  const Size size_;
  const std::shared_ptr<UnpackBuffers> rooms_;
  const std::uint64_t file_bytes_, piece_count_;
  std::vector<Slot> slots_;
  std::mutex mutex_;  // guards the members below, and which thread may touch a slot
  std::condition_variable changed_;
  std::uint64_t next_piece_;  // to look for members in
  std::uint64_t read_piece_;  // that the reader has reached; those before it are no longer needed
  bool stopped_ = false;
  std::vector<std::unique_ptr<Unpacker>> unpackers_;  // one a thread
  std::vector<std::thread> threads_;
};

}  // namespace spillway
