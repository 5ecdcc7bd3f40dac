#include "corpora/parquet/page_codec.hpp"

#include <gtest/gtest.h>
#include <libdeflate.h>
#include <zstd.h>

#include <string>
#include <vector>

namespace spillway {
namespace {

std::string gzip(const std::string& raw) {
  const auto compressor = libdeflate_alloc_compressor(6);
  std::string out(libdeflate_gzip_compress_bound(compressor, raw.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor, raw.data(), raw.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

std::string zstd(const std::string& raw) {
  std::string out(ZSTD_compressBound(raw.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), raw.data(), raw.size(), 3));
  return out;
}

// Returns the unpacked bytes, or "refused" if the page is refused.
std::string unpacked(ParquetCodec codec, const std::string& stored, std::size_t bytes) {
  PageUnpacker unpacker;
  const std::vector<std::uint8_t> from(stored.begin(), stored.end());
  std::vector<std::uint8_t> raw(bytes);
  return unpacker.unpack(codec, from, raw) ? std::string(raw.begin(), raw.end()) : "refused";
}

TEST(PageUnpacker, UnpacksWhatHasTheSize) {
  const std::string raw = "a page, a page, a page of texts";
  for (const auto& [codec, stored] :
       {std::pair{ParquetCodec::kNone, raw}, {ParquetCodec::kGzip, gzip(raw)}, {ParquetCodec::kZstd, zstd(raw)}}) {
    EXPECT_EQ(unpacked(codec, stored, raw.size()), raw);
    EXPECT_EQ(unpacked(codec, stored, raw.size() - 1), "refused");
    EXPECT_EQ(unpacked(codec, stored, raw.size() + 1), "refused");
    EXPECT_EQ(unpacked(codec, stored.substr(0, stored.size() - 1), raw.size()), "refused");
    EXPECT_EQ(unpacked(codec, "", 0), "");
  }
}

TEST(PageUnpacker, UnpacksPagesOfSeveralMembersAndFrames) {
  EXPECT_EQ(unpacked(ParquetCodec::kGzip, gzip("one, ") + gzip("") + gzip("two"), 8), "one, two");
  EXPECT_EQ(unpacked(ParquetCodec::kZstd, zstd("one, ") + zstd("two"), 8), "one, two");
  EXPECT_EQ(unpacked(ParquetCodec::kGzip, gzip("one, ") + gzip("two").substr(0, 12), 8), "refused");
}

}  // namespace
}  // namespace spillway
