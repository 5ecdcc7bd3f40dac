#include "corpora/unpack/gzip_codec.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr int kGzipWindowBits = 15 + 16;  // the largest window; only gzip wrappers

uInt limited(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

}  // namespace

bool is_gzip_start(std::string_view head) {
  return head.size() >= 4 && head.starts_with("\x1F\x8B\x08") && (static_cast<std::uint8_t>(head[3]) & 0xE0) == 0;
}

GzipCodec::GzipCodec() : held_(kHeldBytes) {
  if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
  whole_ = libdeflate_alloc_decompressor();
  if (whole_ != nullptr) return;
  inflateEnd(&stream_);
  throw std::bad_alloc();
}

GzipCodec::~GzipCodec() {
  libdeflate_free_decompressor(whole_);
  inflateEnd(&stream_);
}

bool GzipCodec::is_start(std::string_view head) const { return is_gzip_start(head); }

void GzipCodec::start_member(std::string_view) {
  inflateReset(&stream_);
  at_start_ = !is_damaged_;
  held_begin_ = held_end_ = 0;
}

// Unpacks a member if `in` has all of it and it is small.
bool GzipCodec::unpack_whole(std::string_view in) {
  return libdeflate_gzip_decompress_ex(whole_, in.data(), in.size(), held_.data(), held_.size(), &member_bytes_,
                                       &held_end_) == LIBDEFLATE_SUCCESS;
}

Codec::Step GzipCodec::hand_out(std::size_t taken, std::span<std::uint8_t> out) {
  const std::size_t given = std::min(out.size(), held_end_ - held_begin_);
  std::copy_n(held_.data() + held_begin_, given, out.data());
  held_begin_ += given;
  return {taken, given, held_begin_ == held_end_ ? Status::kMemberEnd : Status::kOpen};
}

Codec::Step GzipCodec::step(std::string_view in, std::span<std::uint8_t> out) {
  if (held_begin_ < held_end_) return hand_out(0, out);
  if (std::exchange(at_start_, false)) {
    if (unpack_whole(in)) return hand_out(member_bytes_, out);
    held_end_ = 0;
  }
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream_.avail_in = limited(in.size());
  stream_.next_out = out.data();
  stream_.avail_out = limited(out.size());
  const uInt in_before = stream_.avail_in;
  const uInt out_before = stream_.avail_out;
  const int result = inflate(&stream_, Z_NO_FLUSH);
  Step step{in_before - stream_.avail_in, out_before - stream_.avail_out, Status::kOpen};
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
