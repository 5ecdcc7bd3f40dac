#include "corpora/reader/archive_cutter.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "corpora/tar/framer.hpp"
#include "corpora/warc/framer.hpp"

namespace spillway {

namespace {

// Whether the parser looks at more than the header.
bool needs_block(const ArchivePiece& piece) {
  return piece.kind == ArchivePiece::Kind::kRecord || piece.kind == ArchivePiece::Kind::kCorrected;
}

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::unique_ptr<ArchiveFramer> framer_of(CorpusFormat format, PieceInput& input) {
  if (format == CorpusFormat::kTar) return std::make_unique<TarFramer>(input);
  return std::make_unique<WarcFramer>(input);
}

}  // namespace

ArchiveCutter::ArchiveCutter(UnpackedSource& source, CorpusFormat format, std::uint64_t longest_record_bytes,
                             const Memory& memory, Emit emit)
    : source_(source),
      format_(format),
      longest_record_bytes_(longest_record_bytes),
      memory_(memory),
      emit_(std::move(emit)),
      framer_(framer_of(format, *this)),
      begin_(memory.begin),
      end_(memory.end),
      offset_(memory.begin) {}

bool ArchiveCutter::run() {
  if (!next_buffer()) return false;
  for (;;) {
    if (!share_members()) return false;
    piece_begin_ = filled_;
    piece_bytes_ = 0;
    const auto piece = framer_->next();
    if (stopped_) return false;
    if (piece) {
      finish_piece(*piece);
      if (stopped_) return false;
      done_offset_ = offset_;
      continue;
    }
    auto fault = source_.take_fault();
    if (!fault) return send(std::nullopt);
    framer_->resume();
    offset_ = done_offset_ = fault->unpacked_offset;
    if (!send(std::move(fault)) || !next_buffer()) return false;
  }
}

// Hands on records that are members of their own, and were unpacked ahead, where they are. Returns false if the reader
// was stopped.
bool ArchiveCutter::share_members() {
  std::shared_ptr<Buffer> room;  // of the records that wait, if they are shared
  while (replays_.empty() && !stopped_) {
    const auto next = source_.next_member(end_ - begin_);
    if (!next) break;
    const SharedMember& member = *next->member;
    const auto piece = framer_->frame_alone(text_of(member.bytes), text_of(next->next));
    if (!piece || member.bytes.size() > longest_record_bytes_) break;
    if (room != member.room || records_.size() == kMaxRecords) {
      if (!send_shared(std::exchange(room, member.room))) return false;
    }
    const auto record_bytes = static_cast<std::size_t>(piece->header_bytes + piece->block_bytes);
    records_.push_back({*piece, offset_, member.begin, record_bytes});
    read_bytes_ += member.bytes.size() - (end_ - begin_);
    offset_ += member.bytes.size();
    done_offset_ = offset_;
    begin_ = end_ = 0;
    source_.take_member();
  }
  if (room == nullptr) return !stopped_;
  return send_shared(std::move(room));
}

// Sends the records that wait: in a room, or in the buffer.
bool ArchiveCutter::send_shared(std::shared_ptr<Buffer> room) {
  if (records_.empty()) return true;
  if (room == nullptr) return send(std::nullopt) && next_buffer();
  UnpackedRecords made;
  made.format = format_;
  made.archived = std::exchange(records_, {});
  made.buffer = std::move(room);
  made.end_offset = done_offset_;
  stopped_ = !emit_(std::move(made));
  return !stopped_;
}

std::size_t ArchiveCutter::read(std::span<std::uint8_t> out) {
  while (!replays_.empty() && replays_.back().position == replays_.back().end) replays_.pop_back();
  if (replays_.empty()) return source_.read(out);
  Replay& again = replays_.back();
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), again.end - again.position));
  again.file->reader().read_exactly(again.position, out.first(count));
  again.position += count;
  return count;
}

std::string_view ArchiveCutter::peek(std::size_t wanted) { return fill_window(wanted, kPeekStep); }

// Reads `step` bytes at once, and more if `wanted` asks for them.
std::string_view ArchiveCutter::fill_window(std::size_t wanted, std::size_t step) {
  if (stopped_) return {};
  if (end_ - begin_ < wanted) {
    std::memmove(memory_.window.data(), memory_.window.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  while (end_ - begin_ < wanted) {
    const std::size_t most = std::max(step, wanted - (end_ - begin_));
    const std::size_t count = read(memory_.window.subspan(end_, std::min(most, memory_.window.size() - end_)));
    if (count == 0) break;
    end_ += count;
    read_bytes_ += count;
  }
  return {reinterpret_cast<const char*>(memory_.window.data()) + begin_, end_ - begin_};
}

void ArchiveCutter::drop(std::size_t bytes) {
  begin_ += bytes;
  offset_ += bytes;
}

void ArchiveCutter::take(std::size_t bytes) {
  if (piece_bytes_ == 0) piece_offset_ = offset_;
  keep(rest_of_window().first(bytes));
  drop(bytes);
}

std::size_t ArchiveCutter::take_some(std::uint64_t most) {
  if (stopped_) return 0;
  if (begin_ == end_ && spool_ == nullptr) {
    if (most > capacity() - filled_ && !make_room()) return 0;
    if (filled_ < capacity()) return read_to_buffer(most);
  }
  const std::string_view shown = fill_window(1, memory_.window.size());
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, shown.size()));
  take(count);
  return count;
}

std::size_t ArchiveCutter::read_to_buffer(std::uint64_t most) {
  if (piece_bytes_ == 0) piece_offset_ = offset_;
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(most, capacity() - filled_));
  const std::size_t count = read(buffer_->span().subspan(filled_, wanted));
  filled_ += count;
  piece_bytes_ += count;
  offset_ += count;
  read_bytes_ += count;
  return count;
}

// Bytes that may still come again: few beside those that were read, so that hostile input takes linear time.
std::uint64_t ArchiveCutter::credit() const {
  constexpr std::uint64_t kAtFirst = std::uint64_t{256} << 20;
  return kAtFirst + read_bytes_ / 4 - returned_bytes_;
}

// Appends to the piece. The start of a piece that is spooled stays in the buffer.
void ArchiveCutter::keep(std::span<const std::uint8_t> bytes) {
  if (spool_ == nullptr && bytes.size() > capacity() - filled_ && !make_room()) return;
  piece_bytes_ += bytes.size();
  if (spool_ != nullptr) return spool_->append(bytes);
  if (bytes.size() > capacity() - filled_) {
    spool_ = std::make_unique<Spool>(memory_.temp, longest_record_bytes_);
    spool_->append(buffer_->span().subspan(piece_begin_, filled_ - piece_begin_));
    spool_->append(bytes);
  }
  const std::size_t held = std::min(bytes.size(), capacity() - filled_);
  std::memcpy(buffer_->span().data() + filled_, bytes.data(), held);
  filled_ += held;
}

// Sends the records before the piece, so that the piece has the whole buffer.
bool ArchiveCutter::make_room() {
  if (piece_begin_ == 0) return true;
  UnpackBuffers::Taken next = memory_.buffers.take();
  if (next == nullptr) {
    stopped_ = true;
    return false;
  }
  const std::size_t held = filled_ - piece_begin_;
  std::memcpy(next->span().data(), buffer_->span().data() + piece_begin_, held);
  filled_ = piece_begin_;
  if (!send(std::nullopt)) return false;
  buffer_ = std::move(next);
  piece_begin_ = 0;
  filled_ = held;
  return true;
}

bool ArchiveCutter::next_buffer() {
  if (buffer_ == nullptr) buffer_ = memory_.buffers.take();
  stopped_ = stopped_ || buffer_ == nullptr;
  filled_ = piece_begin_ = 0;
  return !stopped_;
}

// Sends the buffer with the records in it.
bool ArchiveCutter::send(std::optional<ContainerFault> fault) {
  UnpackedRecords made;
  made.format = format_;
  made.archived = std::exchange(records_, {});
  made.bytes = filled_;
  made.end_offset = done_offset_;
  made.fault = std::move(fault);
  if (made.archived.empty() && !made.fault) return true;
  if (!made.archived.empty()) made.buffer = std::move(buffer_);
  if (!emit_(std::move(made))) stopped_ = true;
  return !stopped_;
}

// Puts the whole piece before the bytes that come next, and takes the part that stays once more.
bool ArchiveCutter::give_back(std::uint64_t kept) {
  const std::uint64_t returned = piece_bytes_ - kept;
  if (!holds_piece() || returned > credit() || replays_.size() == kMaxReplays) return false;
  returned_bytes_ += returned;
  if (piece_bytes_ + (end_ - begin_) <= memory_.window.size()) {
    return_to_window();
  } else {
    replay();
  }
  filled_ = piece_begin_;
  piece_bytes_ = 0;
  offset_ = piece_offset_;
  while (piece_bytes_ < kept && !stopped_)
    take(std::min(peek(1).size(), static_cast<std::size_t>(kept - piece_bytes_)));
  return true;
}

void ArchiveCutter::return_to_window() {
  const auto count = static_cast<std::size_t>(piece_bytes_);
  std::memmove(memory_.window.data() + count, memory_.window.data() + begin_, end_ - begin_);
  if (spool_ != nullptr) {
    const auto spooled = spool_->take();
    spooled->finish().read_exactly(0, memory_.window.first(count));
    spool_.reset();
  } else {
    std::memcpy(memory_.window.data(), buffer_->span().data() + piece_begin_, count);
  }
  end_ += count - begin_;
  begin_ = 0;
}

void ArchiveCutter::replay() {
  Replay again{nullptr, 0, piece_bytes_ + (end_ - begin_)};
  if (spool_ != nullptr) {
    again.file = spool_->take();
    spool_.reset();
  } else {
    again.file = memory_.temp.create("record");
    again.file->writer().append(buffer_->span().subspan(piece_begin_, static_cast<std::size_t>(piece_bytes_)));
  }
  again.file->writer().append(rest_of_window());
  again.file->finish();
  replays_.push_back(std::move(again));
  begin_ = end_ = 0;
}

// Bytes of a piece that are not needed make room for the next one.
void ArchiveCutter::finish_piece(const ArchivePiece& piece) {
  if (records_.size() == kMaxRecords && !make_room()) return;
  ArchiveRecord record{piece, piece_offset_, piece_begin_, 0};
  if (needs_block(piece) && !holds_piece()) record.piece.kind = ArchivePiece::Kind::kTooLong;
  const bool is_header_held = piece.header_bytes <= filled_ - piece_begin_;
  // A cut piece stays with the fault of the container that follows, which counts both.
  const bool is_wanted_whole = piece.kind != ArchivePiece::Kind::kCut && (needs_block(piece) || !is_header_held);
  if (spool_ != nullptr && holds_piece() && is_wanted_whole) return send_spooled(record);
  if (piece.kind == ArchivePiece::Kind::kJunk) record.unpacked_offset = offset_ - piece.block_bytes;
  const std::uint64_t needed = piece.header_bytes + (needs_block(record.piece) ? piece.block_bytes : 0);
  record.bytes = static_cast<std::size_t>(std::min<std::uint64_t>(needed, filled_ - piece_begin_));
  spool_.reset();
  filled_ = piece_begin_ + record.bytes;
  records_.push_back(record);
}

void ArchiveCutter::send_spooled(const ArchiveRecord& record) {
  filled_ = 0;
  if (!send(std::nullopt)) return;
  UnpackedRecords made;
  made.format = format_;
  made.unpacked_offset = record.unpacked_offset;
  made.spooled_bytes = std::min(spool_->bytes(), record.piece.header_bytes + record.piece.block_bytes);
  made.spooled = spool_->take();
  made.archived.push_back(record);
  made.end_offset = offset_;
  spool_.reset();
  stopped_ = !emit_(std::move(made)) || !next_buffer();
}

}  // namespace spillway
