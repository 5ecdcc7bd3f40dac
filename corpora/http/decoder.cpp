#define ZSTD_STATIC_LINKING_ONLY  // for ZSTD_createDCtx_advanced
#include "corpora/http/decoder.hpp"

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace spillway {

namespace {

constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";

// Skippable frames hold what programs note for themselves. Their first byte is 50 to 5F.
bool is_skippable_mark(char first) { return (static_cast<std::uint8_t>(first) & 0xF0) == 0x50; }

bool may_start_frame(char first) { return first == kZstdMagic.front() || is_skippable_mark(first); }

bool is_zstd_start(std::string_view start) {
  if (start.starts_with(kZstdMagic)) return true;
  return !start.empty() && is_skippable_mark(start.front()) && start.substr(1).starts_with("\x2A\x4D\x18");
}

void* allocate(void* memory, std::size_t bytes) { return static_cast<DecoderMemory*>(memory)->allocate(bytes); }
void free_block(void* memory, void* address) { static_cast<DecoderMemory*>(memory)->free(address); }
void* allocate_items(void* memory, unsigned count, unsigned bytes) {
  return allocate(memory, std::size_t{count} * bytes);
}

// Window bits for inflateInit2(): zlib tells its formats apart by them.
enum class ZlibFormat : int { kRaw = -15, kZlib = 15, kGzip = 15 + 16 };

class ZlibDecoder final : public Decoder {
 public:
  ZlibDecoder(ZlibFormat format, DecoderMemory& memory) : memory_(memory), is_gzip_(format == ZlibFormat::kGzip) {
    stream_.zalloc = &allocate_items;
    stream_.zfree = &free_block;
    stream_.opaque = &memory;
    is_open_ = inflateInit2(&stream_, static_cast<int>(format)) == Z_OK;
    if (!is_open_ && !memory.refused()) throw std::bad_alloc();
  }
  ~ZlibDecoder() override {
    if (is_open_) inflateEnd(&stream_);
  }
  ZlibDecoder(const ZlibDecoder&) = delete;
  ZlibDecoder& operator=(const ZlibDecoder&) = delete;

  Step step(std::string_view in, std::span<char> out) override {
    if (!is_open_) return {0, 0, Status::kNoMemory};
    if (at_end_ && is_gzip_ && in.empty()) return {0, 0, Status::kOpen};
    if (at_end_ && !(is_gzip_ && in.starts_with('\x1F'))) return {0, 0, Status::kEnd};
    if (at_end_) inflateReset(&stream_);  // another member
    at_end_ = false;
    constexpr std::size_t kMost = std::size_t{1} << 30;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(std::min(in.size(), kMost));
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(std::min(out.size(), kMost));
    const uInt had_in = stream_.avail_in, had_out = stream_.avail_out;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    const Step step{had_in - stream_.avail_in, had_out - stream_.avail_out, Status::kOpen};
    if (result == Z_MEM_ERROR && memory_.refused()) return {step.taken, step.given, Status::kNoMemory};
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    at_end_ = result == Z_STREAM_END;
    if (at_end_) return {step.taken, step.given, is_gzip_ ? Status::kOpen : Status::kEnd};
    const bool is_fine = result == Z_OK || result == Z_BUF_ERROR;
    return {step.taken, step.given, is_fine ? Status::kOpen : Status::kBroken};
  }
  bool is_at_end() const override { return at_end_; }

 private:
  z_stream stream_{};
  DecoderMemory& memory_;
  bool is_gzip_, is_open_ = false, at_end_ = false;
};

class BrotliDecoder final : public Decoder {
 public:
  explicit BrotliDecoder(DecoderMemory& memory)
      : memory_(memory), state_(BrotliDecoderCreateInstance(&allocate, &free_block, &memory)) {
    if (state_ == nullptr && memory.refused()) return;
    if (state_ == nullptr) throw std::bad_alloc();
    const bool is_whole = memory.windows() == WindowMemory::kWhole;
    BrotliDecoderSetParameter(state_, BROTLI_DECODER_PARAM_DISABLE_RING_BUFFER_REALLOCATION, is_whole ? 1 : 0);
  }
  ~BrotliDecoder() override {
    if (state_ != nullptr) BrotliDecoderDestroyInstance(state_);
  }
  BrotliDecoder(const BrotliDecoder&) = delete;
  BrotliDecoder& operator=(const BrotliDecoder&) = delete;

  Step step(std::string_view in, std::span<char> out) override {
    if (state_ == nullptr) return {0, 0, Status::kNoMemory};
    const auto* next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    auto* next_out = reinterpret_cast<std::uint8_t*>(out.data());
    std::size_t left_in = in.size(), left_out = out.size();
    const auto result = BrotliDecoderDecompressStream(state_, &left_in, &next_in, &left_out, &next_out, nullptr);
    Step step{in.size() - left_in, out.size() - left_out, Status::kOpen};
    if (result == BROTLI_DECODER_RESULT_SUCCESS) step.status = Status::kEnd;
    memory_.check_system();
    if (result == BROTLI_DECODER_RESULT_ERROR) step.status = memory_.refused() ? Status::kNoMemory : Status::kBroken;
    return step;
  }
  bool is_at_end() const override { return state_ != nullptr && BrotliDecoderIsFinished(state_) != 0; }

 private:
  DecoderMemory& memory_;
  BrotliDecoderState* state_;
};

class ZstdDecoder final : public Decoder {
 public:
  explicit ZstdDecoder(DecoderMemory& memory)
      : memory_(memory), context_(ZSTD_createDCtx_advanced({&allocate, &free_block, &memory})) {
    constexpr int kMaxWindowLog = 23;  // RFC 9659
    if (context_ == nullptr && memory.refused()) return;
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kMaxWindowLog);
  }
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  Step step(std::string_view in, std::span<char> out) override {
    if (context_ == nullptr) return {0, 0, Status::kNoMemory};
    if (at_end_ && in.empty()) return {0, 0, Status::kOpen};
    if (at_end_ && !may_start_frame(in.front())) return {0, 0, Status::kEnd};
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t result = ZSTD_decompressStream(context_, &output, &input);
    Step step{input.pos, output.pos, Status::kOpen};
    memory_.check_system();
    if (ZSTD_isError(result) != 0) {
      const bool is_window = ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge;
      step.status = is_window || memory_.refused() ? Status::kNoMemory : Status::kBroken;
    }
    at_end_ = result == 0;
    return step;
  }
  bool is_at_end() const override { return at_end_; }

 private:
  DecoderMemory& memory_;
  bool at_end_ = false;
  ZSTD_DCtx* context_;
};

bool is_zlib_header(std::string_view start) {
  if (start.size() < 2) return false;
  const unsigned cmf = static_cast<std::uint8_t>(start[0]), flags = static_cast<std::uint8_t>(start[1]);
  return (cmf & 0x0F) == Z_DEFLATED && cmf >> 4 <= 7 && (cmf * 256 + flags) % 31 == 0;
}

}  // namespace

// Returns nullptr if the system has no memory.
void* DecoderMemory::take_block(std::size_t bytes) {
  if (bytes < kMappedBytes) return std::malloc(bytes);
  try {
    mapped_.emplace_back(Reservation(), bytes);  // the caller that sets the limit has reserved it
    return mapped_.back().data();
  } catch (const std::exception&) {
    return nullptr;
  }
}

void* DecoderMemory::allocate(std::size_t bytes) noexcept {
  if (bytes > limit_.bytes - used_bytes_) {
    refused_ = true;
    return nullptr;
  }
  void* const block = take_block(bytes + kHeaderBytes);
  if (block == nullptr) {
    lacked_memory_ = true;
    return nullptr;
  }
  used_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, used_bytes_);
  *static_cast<std::size_t*>(block) = bytes;
  return static_cast<char*>(block) + kHeaderBytes;
}

void DecoderMemory::free(void* address) noexcept {
  if (address == nullptr) return;
  void* const block = static_cast<char*>(address) - kHeaderBytes;
  const std::size_t bytes = *static_cast<std::size_t*>(block);
  used_bytes_ -= bytes;
  if (bytes + kHeaderBytes < kMappedBytes) return std::free(block);
  std::erase_if(mapped_, [&](const Buffer& buffer) { return buffer.data() == block; });
}

std::unique_ptr<Decoder> make_decoder(ContentCoding coding, std::string_view start, DecoderMemory& memory) {
  if (start.starts_with("\x1F\x8B")) return std::make_unique<ZlibDecoder>(ZlibFormat::kGzip, memory);
  if (is_zstd_start(start)) return std::make_unique<ZstdDecoder>(memory);
  if (coding == ContentCoding::kBrotli) return std::make_unique<BrotliDecoder>(memory);
  if (coding != ContentCoding::kDeflate) return nullptr;
  return std::make_unique<ZlibDecoder>(is_zlib_header(start) ? ZlibFormat::kZlib : ZlibFormat::kRaw, memory);
}

}  // namespace spillway
