#include "io/docstore/block_compressor.hpp"

#include <gtest/gtest.h>

#include <random>

#include "io/base/error.hpp"
#include "io/docstore/block_stream.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ScratchDirectory;

constexpr std::size_t kBlockBytes = 4096;

// Words, with occasional stretches that do not compress.
std::string text_of(std::size_t bytes) {
  std::mt19937_64 random(7);
  std::string text;
  while (text.size() < bytes) {
    if (random() % 400 == 0) {
      for (int i = 0; i < 6000; ++i) text.push_back(static_cast<char>(random()));
    }
    text += "word" + std::to_string(random() % 90);
  }
  text.resize(bytes);
  return text;
}

// Returns the hashes of data and offsets of two alternating streams, compressed with `helpers` helpers.
std::vector<SectionStats> write_two_streams(unsigned helpers, unsigned later_helpers) {
  const ScratchDirectory scratch;
  const auto open = [&](Section section) {
    return SectionWriter(posix_file_system(), scratch.path(), section, kPageBytes);
  };
  SectionWriter fields = open(Section::kFields), field_blocks = open(Section::kFieldBlocks);
  SectionWriter text = open(Section::kText), text_blocks = open(Section::kTextBlocks);
  BlockCompressor compressor(kBlockBytes);
  BlockStreamWriter first(compressor, BlockContent::kFields, fields, field_blocks, kBlockBytes / 4);
  BlockStreamWriter second(compressor, BlockContent::kText, text, text_blocks, kBlockBytes);
  const std::string raw = text_of(1000000);
  std::mt19937_64 random(3);
  compressor.start_helpers(helpers);
  for (std::size_t at = 0, fragment = 0; at < raw.size(); at += fragment) {
    fragment = std::min<std::size_t>(1 + random() % 3000, raw.size() - at);
    (random() % 3 == 0 ? first : second).append(std::string_view(raw).substr(at, fragment));
    if (at < raw.size() / 2 && at + fragment >= raw.size() / 2) {
      compressor.finish();
      compressor.start_helpers(later_helpers);
    }
  }
  first.finish();
  second.finish();
  return {fields.finish(), field_blocks.finish(), text.finish(), text_blocks.finish()};
}

TEST(BlockCompressor, GivesTheSameBytesWithAnyNumberOfHelpers) {
  const auto alone = write_two_streams(0, 0);
  EXPECT_LT(alone[2].file_bytes, 700000U);
  for (const unsigned helpers : {1U, 2U, 5U}) EXPECT_EQ(write_two_streams(helpers, 0), alone) << helpers;
  EXPECT_EQ(write_two_streams(2, 3), alone);
}

TEST(BlockCompressor, ForgetsWhatWaitsWhenItIsDestroyed) {
  const ScratchDirectory scratch;
  SectionWriter data(posix_file_system(), scratch.path(), Section::kText, kPageBytes);
  SectionWriter offsets(posix_file_system(), scratch.path(), Section::kTextBlocks, kPageBytes);
  const std::string raw = text_of(kBlockBytes);
  {
    BlockCompressor compressor(kBlockBytes);
    compressor.start_helpers(3);
    for (int i = 0; i < 8; ++i) {
      std::vector<std::uint8_t> block(raw.begin(), raw.end());
      compressor.add(block, {kBlockBytes, BlockContent::kText, &data, &offsets});
      EXPECT_TRUE(block.empty());
    }
  }
  EXPECT_LE(offsets.size(), 8 * sizeof(std::uint64_t));
}

TEST(BlockCompressor, SaysWhatKeepsAHelperFromCompressing) {
  const ScratchDirectory scratch;
  SectionWriter data(posix_file_system(), scratch.path(), Section::kText, kPageBytes);
  SectionWriter offsets(posix_file_system(), scratch.path(), Section::kTextBlocks, kPageBytes);
  for (const unsigned helpers : {0U, 2U}) {
    BlockCompressor compressor(16);
    compressor.start_helpers(helpers);
    std::mt19937_64 random(1);
    std::vector<std::uint8_t> longer(kBlockBytes);
    for (std::uint8_t& byte : longer) byte = static_cast<std::uint8_t>(random());
    EXPECT_THROW(
        {
          compressor.add(longer, {kBlockBytes, BlockContent::kText, &data, &offsets});
          compressor.finish();
        },
        std::runtime_error);
    EXPECT_THROW(compressor.finish(), std::runtime_error) << "instead of waiting for ever";
  }
}

}  // namespace
}  // namespace spillway
