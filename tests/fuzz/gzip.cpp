// gzip files, raw or packed as a script says: what comes out does not depend on the sizes of reads, buffers and tasks,
// and equals what zlib alone makes of a good file.
#include <zlib.h>

#include "corpora/unpack/gzip_codec.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/fuzz/support/corpus.hpp"
#include "tests/fuzz/support/packed.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

namespace {

// The content of whole members up to the first byte that is not part of one, and how many stored bytes they are.
struct ByZlib {
  std::string bytes;
  std::size_t stored_bytes = 0;
};

ByZlib unpack_by_zlib(std::string_view stored) {
  ByZlib result;
  while (result.stored_bytes < stored.size()) {
    z_stream stream{};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data() + result.stored_bytes));
    stream.avail_in = static_cast<uInt>(stored.size() - result.stored_bytes);
    std::string member, out(1 << 16, '\0');
    int status = Z_OK;
    while (status == Z_OK) {
      stream.next_out = reinterpret_cast<Bytef*>(out.data());
      stream.avail_out = static_cast<uInt>(out.size());
      status = inflate(&stream, Z_NO_FLUSH);
      member.append(out, 0, out.size() - stream.avail_out);
    }
    const std::size_t taken = stream.total_in;
    inflateEnd(&stream);
    if (status != Z_STREAM_END) break;
    result.bytes += member;
    result.stored_bytes += taken;
  }
  return result;
}

void check_stored(std::string_view stored, std::uint8_t options) {
  const auto found = fuzz::unpack_in_all_ways(stored, [] { return std::make_unique<GzipCodec>(); });
  const ByZlib expected = unpack_by_zlib(stored);
  const bool is_padded = stored.find_first_not_of('\0', expected.stored_bytes) == std::string_view::npos;
  if (is_padded && expected.stored_bytes > 0) {
    EXPECT_TRUE(found.faults.empty());
  }
  if (found.faults.empty()) {
    EXPECT_EQ(found.bytes, expected.bytes);
  } else {
    EXPECT_TRUE(found.bytes.starts_with(expected.bytes)) << "whole members before the first fault are kept";
  }
  if (found.bytes.size() < (std::size_t{1} << 20)) fuzz::read_in_all_ways(stored, fuzz::content_format(options));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  if (input.options % 2 == 0) {
    check_stored(input.text, input.options);
    return 0;
  }
  const auto file =
      fuzz::packed_file(input.text, [](std::string_view bytes) { return spillway::testing::gzip_member(bytes); });
  check_stored(file.stored, input.options);
  if (file.content && !file.stored.empty()) {
    const auto found = fuzz::unpack_in_all_ways(file.stored, [] { return std::make_unique<GzipCodec>(); });
    EXPECT_EQ(found.bytes, *file.content);
    EXPECT_TRUE(found.faults.empty());
  }
  return 0;
}
