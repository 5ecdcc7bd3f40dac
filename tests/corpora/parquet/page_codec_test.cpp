#include "corpora/parquet/page_codec.hpp"

#include <gtest/gtest.h>
#include <libdeflate.h>
#include <snappy.h>
#include <zstd.h>

#include <initializer_list>
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

std::string snappy_of(const std::string& raw) {
  std::string out;
  snappy::Compress(raw.data(), raw.size(), &out);
  return out;
}

// "a page, a page, a page of texts"
const std::string kBrotliPage(
    "\x1b\x1e\x00\x00\x04\xea\x64\xa9\xde\xba\x5a\x3e\x3c\x91\x8d\xa0\x74\xd1\x27\x9c\x10\xa3\x72\x20\x9d\x9c\xff\x16",
    28);

// Returns the unpacked bytes, or "refused" if the page is refused.
std::string unpacked(ParquetCodec codec, const std::string& stored, std::size_t bytes) {
  PageUnpacker unpacker;
  const std::vector<std::uint8_t> from(stored.begin(), stored.end());
  std::vector<std::uint8_t> raw(bytes);
  return unpacker.unpack(codec, from, raw) ? std::string(raw.begin(), raw.end()) : "refused";
}

TEST(PageUnpacker, UnpacksWhatHasTheSize) {
  const std::string raw = "a page, a page, a page of texts";
  for (const auto& [codec, stored] : {std::pair{ParquetCodec::kNone, raw},
                                      {ParquetCodec::kGzip, gzip(raw)},
                                      {ParquetCodec::kZstd, zstd(raw)},
                                      {ParquetCodec::kSnappy, snappy_of(raw)},
                                      {ParquetCodec::kBrotli, kBrotliPage}}) {
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

std::string bytes(std::initializer_list<int> values) { return {values.begin(), values.end()}; }

std::string of_snappy(std::initializer_list<int> stored, std::size_t size) {
  return unpacked(ParquetCodec::kSnappy, bytes(stored), size);
}

// A page of Snappy begins with its length; then literals and copies follow.
TEST(PageUnpacker, HostileSnappyIsRefused) {
  EXPECT_EQ(of_snappy({6, 0x04, 'a', 'b', 0x0A, 2, 0, 0x00, 'c'}, 6), "ababac");
  EXPECT_EQ(of_snappy({0xFF, 0xFF, 0xFF, 0xFF, 0x0F}, 4), "refused");                    // a length of 4 GiB
  EXPECT_EQ(of_snappy({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F}, 4), "refused");              // one of more than 32 bits
  EXPECT_EQ(of_snappy({0x80}, 0), "refused");                                            // one that is cut
  EXPECT_EQ(of_snappy({4, 0x01, 1}, 4), "refused");                                      // copies what is not there
  EXPECT_EQ(of_snappy({5, 0x00, 'a', 0x01, 0}, 5), "refused");                           // copies itself
  EXPECT_EQ(of_snappy({5, 0x00, 'a', 0x01, 2}, 5), "refused");                           // from before the page
  EXPECT_EQ(of_snappy({5, 0x00, 'a', 0x0F, 0, 0, 0, 0x80}, 5), "refused");               // from 2 GiB before
  EXPECT_EQ(of_snappy({4, 0x00, 'a', 0x01, 1}, 4), "refused");                           // makes more than its length
  EXPECT_EQ(of_snappy({2, 0x00, 'a'}, 2), "refused");                                    // makes less
  EXPECT_EQ(of_snappy({4, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 'a', 'b', 'c'}, 4), "refused");  // a literal of 4 GiB
  EXPECT_EQ(of_snappy({4, 0xF0}, 4), "refused");                                         // its length is cut
  EXPECT_EQ(of_snappy({4, 0x0C, 'a', 'b', 'c'}, 4), "refused");                          // a literal that is cut
  EXPECT_EQ(of_snappy({5, 0x00, 'a', 0x01}, 5), "refused");                              // a copy that is cut
}

}  // namespace
}  // namespace spillway
