#include "corpora/unpack/gzip_codec.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "corpora/unpack/gzip_start.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr unsigned kMembersBeforeAhead = 4;

uInt limited(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

}  // namespace

GzipCodec::GzipCodec(StartAhead start_ahead) : held_(kHeldBytes), start_ahead_(std::move(start_ahead)) {
  if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
  decompressor_ = libdeflate_alloc_decompressor();
  if (decompressor_ != nullptr) return;
  inflateEnd(&stream_);
  throw std::bad_alloc();
}

GzipCodec::~GzipCodec() {
  if (ahead_ != nullptr) ahead_->close();
  libdeflate_free_decompressor(decompressor_);
  inflateEnd(&stream_);
}

bool GzipCodec::is_start(std::string_view head) const { return is_gzip_start(head); }

void GzipCodec::start_member(std::string_view, std::uint64_t position) {
  inflateReset(&stream_);
  at_start_ = !is_damaged_;
  if (whole_members_ < kMembersBeforeAhead || !start_ahead_) return;
  ahead_ = start_ahead_(position);
  start_ahead_ = {};
}

// Unpacks a member if it is small.
bool GzipCodec::unpack_whole(std::string_view in) {
  in = in.substr(0, kFirstStepBytes);  // as many bytes for each member, wherever it stands in the buffer
  std::size_t bytes = 0;
  const auto result = libdeflate_gzip_decompress_ex(decompressor_, in.data(), in.size(), held_.data(), held_.size(),
                                                    &member_bytes_, &bytes);
  if (result != LIBDEFLATE_SUCCESS) return false;
  whole_member_ = std::span(held_).first(bytes);
  ++whole_members_;
  return true;
}

// While the last member is broken, what looks like one may be none.
const SharedMember* GzipCodec::offer(std::uint64_t position) {
  constexpr std::size_t kMostAsked = 2;
  if (ahead_ == nullptr || is_damaged_) return nullptr;
  auto known = std::ranges::find(asked_, position, &Asked::position);
  if (known == asked_.end()) {
    if (asked_.size() == kMostAsked) asked_.pop_front();
    asked_.push_back({position, ahead_->find(position)});
    known = asked_.end() - 1;
  }
  return known->member ? &*known->member : nullptr;
}

Codec::Step GzipCodec::step(std::string_view in, std::span<std::uint8_t> out) {
  if (std::exchange(at_start_, false) && unpack_whole(in)) {
    return {member_bytes_, whole_member_.size(), Status::kMemberEnd, whole_member_.data()};
  }
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream_.avail_in = limited(in.size());
  stream_.next_out = out.data();
  stream_.avail_out = limited(out.size());
  const uInt in_before = stream_.avail_in;
  const uInt out_before = stream_.avail_out;
  const int result = inflate(&stream_, Z_NO_FLUSH);
  Step step{in_before - stream_.avail_in, out_before - stream_.avail_out, Status::kOpen, out.data()};
  is_damaged_ = is_damaged_ && result != Z_STREAM_END;
  if (result == Z_STREAM_END) {
    step.status = Status::kMemberEnd;
  } else if (result != Z_OK && result != Z_BUF_ERROR) {
    step.status = Status::kBroken;
    is_damaged_ = true;
  }
  return step;
}

std::string GzipCodec::broken_detail() const {
  return stream_.msg != nullptr ? stream_.msg : "data that deflate does not know";
}

}  // namespace spillway
