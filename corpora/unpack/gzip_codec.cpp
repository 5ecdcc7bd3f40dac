#include "corpora/unpack/gzip_codec.hpp"

#include <algorithm>
#include <limits>
#include <new>

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

GzipCodec::GzipCodec() {
  if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
}

GzipCodec::~GzipCodec() { inflateEnd(&stream_); }

bool GzipCodec::is_start(std::string_view head) const { return is_gzip_start(head); }

void GzipCodec::start_member(std::string_view) { inflateReset(&stream_); }

Codec::Step GzipCodec::step(std::string_view in, std::span<std::uint8_t> out) {
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream_.avail_in = limited(in.size());
  stream_.next_out = out.data();
  stream_.avail_out = limited(out.size());
  const uInt in_before = stream_.avail_in;
  const uInt out_before = stream_.avail_out;
  const int result = inflate(&stream_, Z_NO_FLUSH);
  Step step{in_before - stream_.avail_in, out_before - stream_.avail_out, Status::kOpen};
  if (result == Z_STREAM_END) {
    step.status = Status::kMemberEnd;
  } else if (result != Z_OK && result != Z_BUF_ERROR) {
    step.status = Status::kBroken;
  }
  return step;
}

std::string GzipCodec::broken_detail() const {
  return stream_.msg != nullptr ? stream_.msg : "data that deflate does not know";
}

}  // namespace spillway
