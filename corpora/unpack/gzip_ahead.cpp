#include "corpora/unpack/gzip_ahead.hpp"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "corpora/unpack/codec.hpp"
#include "corpora/unpack/gzip_start.hpp"

namespace spillway {

namespace {

constexpr std::size_t kLaneBytes = std::size_t{96} << 10;  // tables of libdeflate and zlib
constexpr std::size_t kMaxMembers = 2048;                  // of a piece
// Places in a piece that look like a member and are none, or one for which there is no room. Where there are more, each
// could cost as much as a member.
constexpr int kMaxMistakes = 16;

std::size_t slot_count(unsigned lanes) { return std::size_t{lanes} + 2; }

}  // namespace

class GzipAhead::Unpacker {
 public:
  // `stored`: memory for a piece and the member that goes beyond it.
  explicit Unpacker(std::span<std::uint8_t> stored) : stored_(stored) {
    if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
    decompressor_ = libdeflate_alloc_decompressor();
    if (decompressor_ != nullptr) return;
    inflateEnd(&stream_);
    throw std::bad_alloc();
  }
  ~Unpacker() {
    libdeflate_free_decompressor(decompressor_);
    inflateEnd(&stream_);
  }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  std::span<std::uint8_t> stored() const { return stored_; }

  struct Result {
    std::size_t stored = 0, unpacked = 0;
    bool is_whole = false;
  };
  // Unpacks the member that `in` begins with, as the reader would.
  Result unpack(std::string_view in, std::span<std::uint8_t> out) {
    const Result result =
        unpack_short(in.substr(0, Codec::kFirstStepBytes), out.first(std::min(out.size(), kHeldBytes)));
    return result.is_whole ? result : unpack_long(in, out);
  }

 private:
  Result unpack_short(std::string_view in, std::span<std::uint8_t> out) {
    Result result;
    const auto end = libdeflate_gzip_decompress_ex(decompressor_, in.data(), in.size(), out.data(), out.size(),
                                                   &result.stored, &result.unpacked);
    result.is_whole = end == LIBDEFLATE_SUCCESS;
    return result;
  }
  Result unpack_long(std::string_view in, std::span<std::uint8_t> out) {
    inflateReset(&stream_);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<uInt>(out.size());
    const int end = inflate(&stream_, Z_FINISH);
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out, end == Z_STREAM_END};
  }

  std::span<std::uint8_t> stored_;
  z_stream stream_{};
  libdeflate_decompressor* decompressor_ = nullptr;
};

std::size_t GzipAhead::memory_bytes(unsigned lanes, const Size& size) {
  const std::size_t of_lane = size.piece_bytes + size.member_bytes + kLaneBytes;
  return lanes == 0 ? 0 : slot_count(lanes) * kMaxMembers * sizeof(Found) + lanes * of_lane;
}

GzipAhead::GzipAhead(std::unique_ptr<ReadableFile> file, std::uint64_t file_bytes, std::uint64_t begin,
                     const Size& size, Resources resources)
    : file_(std::move(file)),
      size_(size),
      resources_(std::move(resources)),
      file_bytes_(file_bytes),
      piece_count_((file_bytes + size.piece_bytes - 1) / size.piece_bytes),
      slots_(slot_count(resources_.lanes)),
      next_piece_(begin / size.piece_bytes),
      read_piece_(next_piece_) {
  for (Slot& slot : slots_) slot.found.reserve(kMaxMembers);
  const std::size_t stored_bytes = size.piece_bytes + size.member_bytes;
  for (unsigned i = 0; i < resources_.lanes; ++i) {
    unpackers_.push_back(std::make_unique<Unpacker>(resources_.memory.subspan(i * stored_bytes, stored_bytes)));
    idle_.push_back(unpackers_.back().get());
  }
}

GzipAhead::~GzipAhead() { close(); }

void GzipAhead::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

void GzipAhead::close() {
  stop();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return idle_.size() == unpackers_.size(); });
  idle_.clear();
  unpackers_.clear();
  slots_.clear();  // gives the rooms back
}

// Whether a thread may take the next piece. A slot may still be filled with a piece that the reader has left behind.
bool GzipAhead::may_claim() {
  return !stopped_ && !idle_.empty() && next_piece_ < piece_count_ && next_piece_ < read_piece_ + slots_.size() &&
         !slot_of(next_piece_).is_busy;
}

GzipAhead::Slot& GzipAhead::claim(std::shared_ptr<Buffer> room) {
  Slot& slot = slot_of(next_piece_);
  slot.piece = next_piece_++;
  slot.is_filled = false;
  slot.is_busy = true;
  slot.room = std::move(room);
  return slot;
}

// Takes a room only if one is free: a thread that waited for one might be the one that has to give one back.
bool GzipAhead::help() {
  std::unique_lock lock(mutex_);
  if (!may_claim()) return false;
  std::shared_ptr<Buffer> room = resources_.rooms->try_take();
  if (room == nullptr) return false;
  Slot& slot = claim(std::move(room));
  Unpacker* const unpacker = idle_.back();
  idle_.pop_back();
  const bool has_more = may_claim();
  lock.unlock();
  if (has_more) resources_.wake();
  fill(slot, *unpacker);
  lock.lock();
  slot.is_filled = true;
  slot.is_busy = false;
  idle_.push_back(unpacker);
  if (slot.piece < read_piece_ || stopped_) slot.room.reset();
  lock.unlock();
  changed_.notify_all();
  return true;
}

void GzipAhead::fill(Slot& slot, Unpacker& unpacker) {
  slot.found.clear();
  try {
    take_members(slot, read(slot.piece, unpacker.stored()), unpacker);
  } catch (const std::exception& error) {
    static_cast<void>(error);  // the reader meets it, too, or has the memory
    slot.found.clear();
  }
}

std::string_view GzipAhead::read(std::uint64_t piece, std::span<std::uint8_t> stored) const {
  const std::uint64_t begin = piece * size_.piece_bytes;
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(stored.size(), file_bytes_ - begin));
  file_->read_exactly(begin, stored.first(bytes));
  return {reinterpret_cast<const char*>(stored.data()), bytes};
}

void GzipAhead::take_members(Slot& slot, std::string_view stored, Unpacker& unpacker) const {
  const std::size_t end = std::min(stored.size(), size_.piece_bytes);
  const auto room = slot.room->span().first(size_.unpacked_bytes);
  std::size_t filled = 0;
  int mistakes = 0;
  for (std::size_t at = stored.find(kGzipMagic); at < end; at = stored.find(kGzipMagic, at)) {
    const std::string_view rest = stored.substr(at, size_.member_bytes);
    const auto member = is_gzip_start(rest) ? unpacker.unpack(rest, room.subspan(filled)) : Unpacker::Result();
    if (!member.is_whole) {
      ++at;
      if (++mistakes == kMaxMistakes) return;
      continue;
    }
    slot.found.push_back({slot.piece * size_.piece_bytes + at, member.stored, filled, member.unpacked});
    if (slot.found.size() == kMaxMembers) return;
    filled += member.unpacked;
    at += member.stored;
  }
}

std::optional<SharedMember> GzipAhead::find(std::uint64_t position) {
  const std::uint64_t piece = position / size_.piece_bytes;
  if (piece < read_piece_ || piece >= piece_count_) return std::nullopt;
  Slot& slot = slot_of(piece);
  std::unique_lock lock(mutex_);
  if (piece > read_piece_ && leave_pieces_before(piece)) {
    lock.unlock();
    resources_.wake();
    lock.lock();
  }
  changed_.wait(lock, [&] { return stopped_ || (slot.is_filled && slot.piece == piece); });
  if (stopped_) return std::nullopt;
  lock.unlock();  // no other thread touches a filled slot before its piece is left
  const auto found = std::lower_bound(slot.found.begin(), slot.found.end(), position,
                                      [](const Found& one, std::uint64_t place) { return one.position < place; });
  if (found == slot.found.end() || found->position != position) return std::nullopt;
  return SharedMember{found->stored_bytes, found->begin, slot.room->span().subspan(found->begin, found->bytes),
                      slot.room};
}

// Returns whether a thread may help now.
bool GzipAhead::leave_pieces_before(std::uint64_t piece) {
  read_piece_ = piece;
  next_piece_ = std::max(next_piece_, piece);
  for (Slot& slot : slots_) {
    if (slot.is_filled && slot.piece < piece) slot.room.reset();
  }
  return may_claim();
}

}  // namespace spillway
