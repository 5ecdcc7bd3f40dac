// zstd files, raw or packed as a script says: what comes out does not depend on the sizes of reads, buffers and tasks,
// and equals what libzstd alone makes of a good file.
#include <zstd.h>

#include "corpora/unpack/zstd_codec.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/fuzz/support/corpus.hpp"
#include "tests/fuzz/support/packed.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

namespace {

constexpr std::size_t kWindowBytes = std::size_t{8} << 20;

std::unique_ptr<Codec> codec() { return std::make_unique<ZstdCodec>("input", kWindowBytes + ZstdCodec::kFixedBytes); }

// The content of the file; nullopt unless it consists of whole frames.
std::optional<std::string> unpack_by_libzstd(std::string_view stored) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  std::string bytes, out(1 << 16, '\0');
  ZSTD_inBuffer in{stored.data(), stored.size(), 0};
  std::size_t left = 0;
  while (in.pos < in.size || left != 0) {
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t before = in.pos;
    left = ZSTD_decompressStream(context.get(), &to, &in);
    if (ZSTD_isError(left) != 0) return std::nullopt;
    bytes.append(out, 0, to.pos);
    if (in.pos == before && to.pos == 0 && left != 0) return std::nullopt;  // the last frame is cut
  }
  return bytes;
}

void check_stored(std::string_view stored, std::uint8_t options) {
  fuzz::Unpacked found;
  try {
    found = fuzz::unpack_in_all_ways(stored, codec);
  } catch (const BudgetError&) {  // a window that is too large
    return;
  }
  if (const auto expected = unpack_by_libzstd(stored); expected && !stored.empty()) {
    EXPECT_EQ(found.bytes, *expected);
    EXPECT_TRUE(found.faults.empty());
  } else if (!stored.empty()) {
    EXPECT_FALSE(found.faults.empty());
  }
  if (found.bytes.size() > (std::size_t{1} << 20)) return;
  try {
    fuzz::read_in_all_ways(stored, fuzz::content_format(options));
  } catch (const BudgetError&) {
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  if (input.options % 2 == 0) {
    check_stored(input.text, input.options);
    return 0;
  }
  const auto file =
      fuzz::packed_file(input.text, [](std::string_view bytes) { return spillway::testing::zstd_frame(bytes); });
  check_stored(file.stored, input.options);
  if (file.content && !file.stored.empty()) {
    const auto found = fuzz::unpack_in_all_ways(file.stored, codec);
    EXPECT_EQ(found.bytes, *file.content);
    EXPECT_TRUE(found.faults.empty());
  }
  return 0;
}
