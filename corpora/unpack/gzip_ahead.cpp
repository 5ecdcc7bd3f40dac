#include "corpora/unpack/gzip_ahead.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string_view>

#include "corpora/unpack/gzip_start.hpp"

namespace spillway {

namespace {

constexpr std::size_t kStoredBytes = GzipAhead::kPieceBytes + GzipAhead::kMaxMemberBytes;
// Pages of crawls unpack to about six times their size. What does not fit is left to the reader.
constexpr std::size_t kUnpackedBytes = 16 * GzipAhead::kPieceBytes;
constexpr std::size_t kThreadBytes = std::size_t{128} << 10;  // libdeflate's tables and the stack
constexpr std::size_t kMaxMembers = 2048;                     // of a piece
// Places in a piece that look like a member and are none. Where there are more, each could cost as much as a member.
constexpr int kMaxMistakes = 16;

std::size_t slot_count(unsigned threads) { return std::size_t{threads} + 2; }

}  // namespace

class GzipAhead::Unpacker {
 public:
  Unpacker() : decompressor_(libdeflate_alloc_decompressor()) {
    if (decompressor_ == nullptr) throw std::bad_alloc();
  }
  ~Unpacker() { libdeflate_free_decompressor(decompressor_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  struct Result {
    std::size_t stored = 0, unpacked = 0;
    bool is_whole = false, needs_room = false;
  };
  Result unpack(std::string_view in, std::span<std::uint8_t> out) {
    Result result;
    const auto end = libdeflate_gzip_decompress_ex(decompressor_, in.data(), in.size(), out.data(), out.size(),
                                                   &result.stored, &result.unpacked);
    result.is_whole = end == LIBDEFLATE_SUCCESS;
    result.needs_room = end == LIBDEFLATE_INSUFFICIENT_SPACE;
    return result;
  }

 private:
  libdeflate_decompressor* decompressor_;
};

std::size_t GzipAhead::memory_bytes(unsigned threads) {
  constexpr std::size_t kSlotBytes = kStoredBytes + kUnpackedBytes + kMaxMembers * sizeof(Found);
  return threads == 0 ? 0 : slot_count(threads) * kSlotBytes + threads * kThreadBytes;
}

GzipAhead::GzipAhead(std::unique_ptr<ReadableFile> file, std::uint64_t file_bytes, std::uint64_t begin,
                     unsigned threads, std::span<std::uint8_t> memory)
    : file_(std::move(file)),
      file_bytes_(file_bytes),
      piece_count_((file_bytes + kPieceBytes - 1) / kPieceBytes),
      slots_(slot_count(threads)),
      next_piece_(begin / kPieceBytes),
      read_piece_(next_piece_) {
  for (Slot& slot : slots_) {
    slot.stored = memory.first(kStoredBytes);
    slot.unpacked = memory.subspan(kStoredBytes, kUnpackedBytes);
    slot.found.reserve(kMaxMembers);
    memory = memory.subspan(kStoredBytes + kUnpackedBytes);
  }
  for (unsigned i = 0; i < threads; ++i) unpackers_.push_back(std::make_unique<Unpacker>());
  threads_.reserve(threads);
  try {
    for (const auto& unpacker : unpackers_) threads_.emplace_back([this, &unpacker] { work(*unpacker); });
  } catch (const std::exception& error) {
    static_cast<void>(
        error);  // std::system_error or std::bad_alloc: as many threads as there are; without any, nothing is on offer
  }
}

GzipAhead::~GzipAhead() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// Whether a thread may take the next piece. A slot may still be filled with a piece that the reader has left behind.
bool GzipAhead::may_claim() {
  return next_piece_ < piece_count_ && next_piece_ < read_piece_ + slots_.size() && !slot_of(next_piece_).is_busy;
}

void GzipAhead::work(Unpacker& unpacker) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopped_ || next_piece_ >= piece_count_ || may_claim(); });
    if (stopped_ || next_piece_ >= piece_count_) return;
    Slot& slot = slot_of(next_piece_);
    slot.piece = next_piece_++;
    slot.is_filled = false;
    slot.is_busy = true;
    lock.unlock();
    fill(slot, unpacker);
    lock.lock();
    slot.is_filled = true;
    slot.is_busy = false;
    changed_.notify_all();
  }
}

void GzipAhead::fill(Slot& slot, Unpacker& unpacker) {
  slot.found.clear();
  try {
    take_members(slot, read(slot), unpacker);
  } catch (const std::exception& error) {
    static_cast<void>(error);  // the reader meets it, too, or has the memory
    slot.found.clear();
  }
}

std::size_t GzipAhead::read(Slot& slot) const {
  const std::uint64_t begin = slot.piece * kPieceBytes;
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(kStoredBytes, file_bytes_ - begin));
  file_->read_exactly(begin, slot.stored.first(bytes));
  return bytes;
}

void GzipAhead::take_members(Slot& slot, std::size_t stored_bytes, Unpacker& unpacker) const {
  const std::string_view stored(reinterpret_cast<const char*>(slot.stored.data()), stored_bytes);
  const std::size_t end = std::min(stored_bytes, kPieceBytes);
  std::size_t filled = 0;
  int mistakes = 0;
  for (std::size_t at = stored.find(kGzipMagic); at < end; at = stored.find(kGzipMagic, at)) {
    const std::string_view rest = stored.substr(at, kMaxMemberBytes);
    const std::size_t room = std::min(slot.unpacked.size() - filled, kMaxUnpackedBytes);
    const auto member =
        is_gzip_start(rest) ? unpacker.unpack(rest, slot.unpacked.subspan(filled, room)) : Unpacker::Result();
    if (member.needs_room && room < kMaxUnpackedBytes) return;
    if (!member.is_whole) {
      ++at;
      if (++mistakes == kMaxMistakes) return;
      continue;
    }
    slot.found.push_back({slot.piece * kPieceBytes + at, member.stored, filled, member.unpacked});
    if (slot.found.size() == kMaxMembers) return;
    filled += member.unpacked;
    at += member.stored;
  }
}

std::optional<GzipAhead::Member> GzipAhead::find(std::uint64_t position) {
  const std::uint64_t piece = position / kPieceBytes;
  if (threads_.empty() || piece < read_piece_ || piece >= piece_count_) return std::nullopt;
  Slot& slot = slot_of(piece);
  {
    std::unique_lock lock(mutex_);
    if (piece > read_piece_) {
      read_piece_ = piece;
      next_piece_ = std::max(next_piece_, piece);
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return slot.is_filled && slot.piece == piece; });
  }
  const auto found = std::lower_bound(slot.found.begin(), slot.found.end(), position,
                                      [](const Found& one, std::uint64_t place) { return one.position < place; });
  if (found == slot.found.end() || found->position != position) return std::nullopt;
  return Member{found->stored_bytes, slot.unpacked.subspan(found->begin, found->bytes)};
}

}  // namespace spillway
