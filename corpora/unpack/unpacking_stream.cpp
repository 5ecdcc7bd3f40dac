#include "corpora/unpack/unpacking_stream.hpp"

#include <algorithm>
#include <cstring>

namespace spillway {

namespace {

// Bytes that may be read again after faults: few beside those that were unpacked, so that hostile input takes linear
// time.
std::uint64_t most_rewound_bytes(std::uint64_t taken_bytes) { return (std::uint64_t{1} << 20) + taken_bytes / 4; }

}  // namespace

std::size_t PlainSource::read(std::span<std::uint8_t> out) {
  const std::string_view bytes = input_.available();
  const std::size_t count = std::min(bytes.size(), out.size());
  std::memcpy(out.data(), bytes.data(), count);
  input_.take(count);
  return count;
}

std::size_t UnpackingStream::read(std::span<std::uint8_t> out) {
  while (ready_.empty()) {
    if (fault_ || at_end_) return 0;
    offered_.reset();
    if (in_member_ || (find_member() && open_offer() == nullptr)) unpack_portion();
  }
  const std::size_t count = std::min(out.size(), ready_.size());
  std::memcpy(out.data(), ready_.data(), count);
  ready_ = ready_.subspan(count);
  given_bytes_ += count;
  return count;
}

// Takes the member that starts here if it was unpacked ahead.
const SharedMember* UnpackingStream::open_offer() {
  const SharedMember* const offer = searching_ ? nullptr : codec_->offer(member_begin_);
  if (offer == nullptr) return nullptr;
  offered_ = *offer;
  ready_ = offer->bytes;
  input_.take(static_cast<std::size_t>(offer->stored_bytes));
  taken_bytes_ += offer->stored_bytes;
  end_member();
  return &*offered_;
}

std::optional<UnpackedSource::NextMember> UnpackingStream::next_member(std::size_t unread) {
  while (ready_.empty() && unread == 0) {
    offered_.reset();
    if (fault_ || at_end_ || in_member_ || searching_ || !find_member()) return std::nullopt;
    if (open_offer() == nullptr) return std::nullopt;
  }
  if (!offered_ || ready_.size() + unread != offered_->bytes.size()) return std::nullopt;
  const SharedMember* const next = codec_->offer(input_.position());
  return NextMember{&*offered_, next == nullptr ? std::span<const std::uint8_t>() : next->bytes};
}

void UnpackingStream::take_member() {
  given_bytes_ += ready_.size();
  ready_ = {};
}

std::optional<ContainerFault> UnpackingStream::take_fault() {
  if (!ready_.empty() || !fault_) return std::nullopt;
  auto fault = std::move(fault_);
  fault_.reset();
  fault->unpacked_offset = given_bytes_;
  return fault;
}

void UnpackingStream::report(SkipReason reason, const std::string& detail) {
  fault_ = ContainerFault{reason, detail + " (stored byte " + std::to_string(input_.position()) + ")"};
}

// Starts the member at this place. Returns false at the end, or if there is a fault to report first.
bool UnpackingStream::find_member() {
  if (searching_) return search();
  for (;;) {
    const std::string_view head = input_.available(Codec::kFirstStepBytes);
    if (head.empty()) {
      at_end_ = true;
      return false;
    }
    if (codec_->is_start(head)) {
      after_truncation_ = false;
      start_member(head);
      return true;
    }
    if (!any_member_ || !codec_->is_padding(head.front())) break;
    input_.take(1);
  }
  searching_ = true;
  if (after_truncation_) return search();
  report(SkipReason::kTrailingGarbage, "expected another member or the end, found other bytes");
  if (any_member_ && !codec_->is_proven()) search_in_member();
  return false;
}

bool UnpackingStream::search() {
  for (;;) {
    const std::string_view bytes = input_.available(Codec::kHeadBytes);
    if (bytes.empty()) {
      at_end_ = true;
      return false;
    }
    // Near the end of the buffer, more bytes are needed to decide, unless the input ends there.
    const std::size_t last = bytes.size() < Codec::kHeadBytes ? 0 : bytes.size() - Codec::kHeadBytes;
    std::size_t at = 0;
    while (at <= last && !codec_->is_start_in_search(bytes.substr(at))) ++at;
    input_.take(at);
    if (at > last) continue;
    start_member(input_.available(Codec::kFirstStepBytes));
    return true;
  }
}

void UnpackingStream::start_member(std::string_view head) {
  member_begin_ = input_.position();
  codec_->start_member(head, member_begin_);
  in_member_ = any_member_ = true;
}

void UnpackingStream::unpack_portion() {
  const std::uint8_t* begin = nullptr;
  for (std::size_t filled = 0; in_member_ && filled < portion_.size();) {
    const std::string_view bytes = input_.available();
    const Codec::Step step = codec_->step(bytes, portion_.subspan(filled));
    input_.take(step.taken);
    taken_bytes_ += step.taken;
    if (filled == 0) begin = step.bytes;
    filled += step.given;
    ready_ = {begin, filled};
    if (step.status == Codec::Status::kMemberEnd) return end_member();
    if (step.status == Codec::Status::kBroken) return break_member();
    if (bytes.empty() && step.given == 0) return truncate_member();
  }
  searching_ = false;  // this is a member, because a whole portion could be unpacked
}

void UnpackingStream::end_member() {
  in_member_ = false;
  searching_ = false;
}

// Goes back to the second byte of this member: if it is damaged, it may have taken members that follow for its own
// bytes before that was found. Returns false if these bytes cannot be read again.
bool UnpackingStream::search_in_member() {
  searching_ = true;
  const std::uint64_t again = std::max(member_begin_ + 1, input_.history_begin());
  const std::uint64_t distance = input_.position() - again;
  if (rewound_bytes_ + distance > most_rewound_bytes(taken_bytes_)) return false;
  rewound_bytes_ += distance;
  input_.rewind(again);
  return true;
}

// Drops the portion and searches for the next member.
void UnpackingStream::break_member() {
  in_member_ = false;
  ready_ = {};
  if (!searching_) report(codec_->broken_reason(), codec_->broken_detail());
  // libzstd takes no byte of a broken frame that it has before it as a whole.
  if (input_.position() == member_begin_) input_.take(1);
  search_in_member();
}

// A member that lost bytes may have taken all members that follow. What is found in it may also be a part of it, such
// as a body that is packed itself, so its faults are no others.
void UnpackingStream::truncate_member() {
  in_member_ = false;
  if (!after_truncation_) {
    report(codec_->truncated_reason(), "expected the rest of a member, found the end of the input");
  }
  after_truncation_ = true;
  at_end_ = !search_in_member();
}

}  // namespace spillway
