#include "corpora/unpack/zstd_codec.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "io/base/error.hpp"

namespace spillway {

namespace {

// The least window assumed, so that all small frames of a file need the same memory.
constexpr std::uint64_t kUsualWindowBytes = std::uint64_t{1} << 20;

constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";

bool is_zstd_skippable(std::string_view head) {
  return head.size() >= 4 && (static_cast<std::uint8_t>(head[0]) & 0xF0) == 0x50 && head.substr(1, 3) == "\x2A\x4D\x18";
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

constexpr std::size_t kSkippableHeaderBytes = 8;

// Length of the frame with the dictionary of a .warc.zst that begins here, 0 if there is none.
std::size_t dictionary_frame_bytes(std::string_view head) {
  if (head.size() < kSkippableHeaderBytes || !head.starts_with("\x5D\x2A\x4D\x18")) return 0;
  const std::uint64_t content = little_endian(head.substr(4, 4));
  return content > ZstdCodec::kMaxDictionaryBytes ? 0 : kSkippableHeaderBytes + static_cast<std::size_t>(content);
}

struct FrameHeader {
  std::size_t bytes = 0;  // of the header itself
  std::uint64_t window_bytes = 0;
  std::optional<std::uint64_t> content_bytes;
};

// Parses RFC 8878, 3.1.1.1. Returns nullopt if the header is cut or sets reserved bits.
std::optional<FrameHeader> parse_frame_header(std::string_view head) {
  if (head.size() < 6) return std::nullopt;
  const auto descriptor = static_cast<std::uint8_t>(head[4]);
  if ((descriptor & 0x08) != 0) return std::nullopt;
  const bool single_segment = (descriptor & 0x20) != 0;
  constexpr std::size_t kDictionaryBytes[] = {0, 1, 2, 4};
  const std::size_t content_field =
      descriptor >> 6 == 0 ? (single_segment ? 1u : 0u) : std::size_t{1} << (descriptor >> 6);
  std::size_t at = 5;
  FrameHeader header;
  if (!single_segment) {
    const auto window = static_cast<std::uint8_t>(head[at++]);
    const std::uint64_t base = std::uint64_t{1} << (10 + (window >> 3));
    header.window_bytes = base + base / 8 * (window & 7);
  }
  at += kDictionaryBytes[descriptor & 3];
  if (head.size() < at + content_field) return std::nullopt;
  if (content_field > 0) {
    header.content_bytes = little_endian(head.substr(at, content_field)) + (content_field == 2 ? 256 : 0);
  }
  if (single_segment) header.window_bytes = *header.content_bytes;
  header.bytes = at + content_field;
  return header;
}

bool has_checksum(std::string_view head) {
  constexpr unsigned kChecksumFlag = 0x04;
  return head.size() > 4 && (static_cast<std::uint8_t>(head[4]) & kChecksumFlag) != 0;
}

// Skippable frames are taken as they are: the dictionary in one may be a frame itself.
bool is_frame_proven(std::string_view head) { return is_zstd_skippable(head) || has_checksum(head); }

}  // namespace

bool is_zstd_start(std::string_view head) { return head.starts_with(kZstdMagic) || is_zstd_skippable(head); }

std::optional<std::uint64_t> zstd_frame_memory(std::string_view head) {
  // For the frames that follow, and for the dictionary as it is stored, unpacked, and as libzstd keeps it.
  const std::uint64_t dictionary = dictionary_frame_bytes(head) == 0 ? 0 : 3 * ZstdCodec::kMaxDictionaryBytes;
  if (is_zstd_skippable(head)) return kUsualWindowBytes + ZstdCodec::kFixedBytes + dictionary;
  if (!head.starts_with(kZstdMagic)) return std::nullopt;
  const auto header = parse_frame_header(head);
  if (!header) return std::nullopt;
  // libzstd keeps the window or the whole content, whichever is smaller.
  const std::uint64_t window = header->window_bytes;
  const std::uint64_t held = header->content_bytes ? std::min(window, *header->content_bytes) : window;
  const std::uint64_t most = window > ZstdCodec::kMaxWindowBytes ? window : held;
  return std::max(most, kUsualWindowBytes) + ZstdCodec::kFixedBytes;
}

bool has_sound_blocks(std::string_view head) {
  constexpr std::size_t kBlockHeaderBytes = 3, kChecksumBytes = 4, kMaxBlockBytes = std::size_t{128} << 10;
  enum : std::uint64_t { kOneByteRepeated = 1, kReserved = 3 };
  const auto header = parse_frame_header(head);
  if (!header) return true;
  for (std::size_t at = header->bytes; at + kBlockHeaderBytes <= head.size();) {
    const std::uint64_t block = little_endian(head.substr(at, kBlockHeaderBytes));
    const std::uint64_t type = block >> 1 & 3, size = block >> 3;
    if (type == kReserved || size > kMaxBlockBytes) return false;
    at += kBlockHeaderBytes + (type == kOneByteRepeated ? 1 : static_cast<std::size_t>(size));
    if ((block & 1) == 0) continue;
    at += has_checksum(head) ? kChecksumBytes : 0;
    return at + 4 > head.size() || is_zstd_start(head.substr(at));
  }
  return true;
}

std::size_t ZstdCodec::share_of(std::size_t memory_bytes) {
  return std::min<std::size_t>(memory_bytes / kShareOfMemory, kMaxWindowBytes) + kFixedBytes;
}

ZstdCodec::ZstdCodec(std::string path, std::size_t reserved_bytes)
    : context_(ZSTD_createDCtx()), path_(std::move(path)), reserved_bytes_(reserved_bytes) {
  if (context_ == nullptr) throw std::bad_alloc();
  ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, 27);
}

ZstdCodec::~ZstdCodec() { ZSTD_freeDCtx(context_); }

bool ZstdCodec::is_start(std::string_view head) const { return is_zstd_start(head); }

bool ZstdCodec::is_start_in_search(std::string_view head) const {
  if (!head.starts_with(kZstdMagic)) return false;
  const auto bytes = zstd_frame_memory(head);
  return bytes && *bytes <= kMaxWindowBytes + kFixedBytes;
}

void ZstdCodec::start_member(std::string_view head, std::uint64_t) {
  ZSTD_DCtx_reset(context_, ZSTD_reset_session_only);
  const std::uint64_t bytes = zstd_frame_memory(head).value_or(0);
  const bool is_first = !std::exchange(any_frame_, true);
  dictionary_bytes_ = !is_first || bytes > reserved_bytes_ ? 0 : dictionary_frame_bytes(head);
  dictionary_.clear();
  is_proven_ = is_frame_proven(head);
  const bool is_too_wide = bytes > kMaxWindowBytes + kFixedBytes;
  is_damaged_ = bytes > reserved_bytes_ && ((is_too_wide && !is_first) || !has_sound_blocks(head));
  if (is_damaged_) return;
  if (is_too_wide) {
    throw BudgetError(printable(path_) + ": a zstd frame asks for a window of " + std::to_string(bytes - kFixedBytes) +
                      " bytes; more than " + std::to_string(kMaxWindowBytes) +
                      " (zstd --long=27) is always refused. Pack it again with a smaller window.");
  }
  if (bytes <= reserved_bytes_) return;
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  throw BudgetError(printable(path_) + ": a zstd frame needs " + std::to_string(bytes) +
                    " bytes of memory to unpack, and " + std::to_string(reserved_bytes_) +
                    " are kept for that. Give --memory " +
                    std::to_string(((bytes - kFixedBytes) * kShareOfMemory + kMebibyte - 1) / kMebibyte) +
                    "M or more, or pack it again with a smaller window (zstd without --long or --ultra).");
}

Codec::Step ZstdCodec::read_dictionary(std::string_view in) {
  const std::size_t taken = std::min(in.size(), dictionary_bytes_ - dictionary_.size());
  dictionary_ += in.substr(0, taken);
  if (dictionary_.size() < dictionary_bytes_) return {taken, 0, Status::kOpen};
  dictionary_bytes_ = 0;
  const bool is_loaded = load_dictionary();
  dictionary_ = std::string();
  return {taken, 0, is_loaded ? Status::kMemberEnd : Status::kBroken};
}

bool ZstdCodec::load_dictionary() {
  std::string_view dictionary = std::string_view(dictionary_).substr(kSkippableHeaderBytes);
  std::string unpacked;
  if (dictionary.starts_with(kZstdMagic)) {
    unpacked.resize(kMaxDictionaryBytes);
    error_ = ZSTD_decompressDCtx(context_, unpacked.data(), unpacked.size(), dictionary.data(), dictionary.size());
    if (ZSTD_isError(error_) != 0) return false;
    dictionary = std::string_view(unpacked).substr(0, error_);
  }
  error_ = ZSTD_DCtx_loadDictionary(context_, dictionary.data(), dictionary.size());
  return ZSTD_isError(error_) == 0;
}

Codec::Step ZstdCodec::step(std::string_view in, std::span<std::uint8_t> out) {
  if (dictionary_bytes_ != 0) return read_dictionary(in);
  if (is_damaged_) return {0, 0, Status::kBroken};
  ZSTD_inBuffer input{in.data(), in.size(), 0};
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  const std::size_t result = ZSTD_decompressStream(context_, &output, &input);
  Step step{input.pos, output.pos, Status::kOpen, out.data()};
  if (ZSTD_isError(result) != 0) {
    error_ = result;
    step.status = Status::kBroken;
  } else if (result == 0) {
    step.status = Status::kMemberEnd;
  }
  return step;
}

std::string ZstdCodec::broken_detail() const {
  return is_damaged_ ? "expected a frame header with a window of up to 128 MiB, found a header that was damaged"
                     : ZSTD_getErrorName(error_);
}

}  // namespace spillway
