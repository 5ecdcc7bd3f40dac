#include "tools/exchange/wire_reader.hpp"

#include <algorithm>

#include "corpora/reader/sniff.hpp"
#include "corpora/unpack/gzip_codec.hpp"
#include "corpora/unpack/zstd_codec.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kWindowBytes = std::size_t{256} << 10;
constexpr std::string_view kBuffers = "reading the file to import";

}  // namespace

WireReader::WireReader(FileSystem& files, const std::string& path, MemoryBudget& budget, std::function<void()> check)
    : path_(path),
      check_(std::move(check)),
      stored_(budget, PackedInput::kBufferBytes, kBuffers),
      portion_(budget, UnpackingStream::kPortionBytes, kBuffers),
      window_(budget, kWindowBytes, kBuffers) {
  auto stream = files.open_stream(path);
  stream->set_wait_check(check_);
  PackedInput input(std::make_unique<StreamByteSource>(std::move(stream)), stored_.span());
  const std::string_view head = input.available(Codec::kHeadBytes);
  std::unique_ptr<Codec> codec;
  switch (sniff_compression(head)) {
    case Compression::kNone:
    case Compression::kZip:  // no CIFF file: what reads it says so
      source_ = std::make_unique<PlainSource>(std::move(input));
      return;
    case Compression::kGzip:
      codec_memory_ = budget.reserve(GzipCodec::kMemoryBytes, kBuffers);
      codec = std::make_unique<GzipCodec>();
      break;
    case Compression::kZstd:
      codec_memory_ = budget.reserve(ZstdCodec::share_of(budget.total_bytes()), kBuffers);
      codec = std::make_unique<ZstdCodec>(path, codec_memory_.bytes());
      break;
  }
  is_packed_ = true;
  source_ = std::make_unique<UnpackingStream>(std::move(input), std::move(codec), portion_.span());
}

WireReader::~WireReader() = default;

bool WireReader::refill() {
  check_();
  window_offset_ += static_cast<std::uint64_t>(window_end_ - window_begin_);
  const std::size_t bytes = source_->read(window_.span());
  window_begin_ = at_ = window_.data();
  window_end_ = at_ + bytes;
  if (bytes != 0) return true;
  if (const auto fault = source_->take_fault()) {
    fail("an undamaged packed file", "one that is damaged: " + fault->detail);
  }
  return false;
}

std::uint64_t WireReader::varint(std::string_view what) {
  std::uint64_t value = byte(what);
  if (value < 0x80) return value;
  const std::uint64_t begin = offset() - 1;
  value &= 0x7F;
  for (unsigned shift = 7;; shift += 7) {
    const std::uint64_t next = byte(what);
    if (shift == 63 && next > 1) fail_at(begin, std::string(what) + ", a varint of at most 64 bits", "more");
    value |= (next & 0x7F) << shift;
    if (next < 0x80) return value;
  }
}

void WireReader::read(std::string& to, std::size_t bytes, std::string_view what) {
  to.clear();
  while (to.size() < bytes) {
    if (at_end()) fail(what, "the end of the file");
    const std::size_t count = std::min(bytes - to.size(), static_cast<std::size_t>(window_end_ - at_));
    to.append(reinterpret_cast<const char*>(at_), count);
    at_ += count;
  }
}

void WireReader::fail_at(std::uint64_t offset, std::string_view expected, std::string_view found) const {
  throw FormatError(printable(path_, 4096) + ": byte " + std::to_string(offset) +
                    (is_packed_ ? " of the unpacked file" : "") + ": expected " + std::string(expected) + ", found " +
                    std::string(found) + "; make the file again, or fetch it again");
}

}  // namespace spillway
