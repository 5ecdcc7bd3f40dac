#include "tools/commands/sort/output/zstd_output.hpp"

#include <new>
#include <stdexcept>
#include <string>

namespace spillway {

namespace {

constexpr int kLevel = 3;

}  // namespace

ZstdOutput::ZstdOutput(LineOutput& output) : output_(output), packed_(ZSTD_CStreamOutSize()) {
  if (context_ == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
}

void ZstdOutput::compress(std::span<const std::uint8_t> bytes, ZSTD_EndDirective directive) {
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  for (bool is_done = false; !is_done;) {
    ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
    const std::size_t left = ZSTD_compressStream2(context_, &out, &in, directive);
    if (ZSTD_isError(left) != 0) throw std::runtime_error(std::string("zstd: ") + ZSTD_getErrorName(left));
    if (out.pos != 0) output_.write(std::span(packed_).first(out.pos));
    is_done = directive == ZSTD_e_end ? left == 0 : in.pos == in.size;
  }
}

}  // namespace spillway
