#include "io/docstore/block_stream.hpp"

#include <gtest/gtest.h>

#include <random>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ScratchDirectory;

class BlockStream : public ::testing::Test {
 protected:
  BlockStreamReader write(const std::string& raw, std::size_t most_append) {
    SectionWriter data(posix_file_system(), scratch_.path(), Section::kFields, kPageBytes);
    SectionWriter offsets(posix_file_system(), scratch_.path(), Section::kFieldBlocks, kPageBytes);
    BlockCompressor compressor(kFieldBlockBytes);
    BlockStreamWriter writer(compressor, BlockContent::kFields, data, offsets, kFieldBlockBytes);
    std::mt19937_64 random(1);
    for (std::size_t at = 0; at < raw.size();) {
      const std::string_view part = std::string_view(raw).substr(at, random() % most_append);
      EXPECT_EQ(writer.raw_size(), at);
      writer.append(part);
      at += part.size();
    }
    writer.finish();
    data_.emplace(posix_file_system(), scratch_.path(), Section::kFields, data.finish());
    offsets_.emplace(posix_file_system(), scratch_.path(), Section::kFieldBlocks, offsets.finish());
    return {*data_, *offsets_, kFieldBlockBytes, raw.size()};
  }
  ScratchDirectory scratch_;
  std::optional<SectionReader> data_, offsets_;
};

std::string text_of(std::size_t size, bool compressible) {
  std::mt19937_64 random(size);
  std::string text;
  while (text.size() < size)
    text += compressible ? "word" + std::to_string(random() % 50) : std::string(1, static_cast<char>(random()));
  text.resize(size);
  return text;
}

class BlockStreamSizes : public BlockStream, public ::testing::WithParamInterface<std::tuple<std::size_t, bool>> {};

TEST_P(BlockStreamSizes, ReadsAnyPlace) {
  const auto [size, compressible] = GetParam();
  const std::string raw = text_of(size, compressible);
  const BlockStreamReader reader = write(raw, 30000);
  BlockStreamReader::Cache cache;
  EXPECT_EQ(reader.read(0, size, cache), raw);
  std::mt19937_64 random(2);
  for (int i = 0; i < 300; ++i) {
    const std::size_t at = random() % (size + 1), count = random() % (size - at + 1);
    ASSERT_EQ(reader.read(at, count, cache), raw.substr(at, count));
  }
  EXPECT_THROW(reader.read(0, size + 1, cache), FormatError);
  EXPECT_THROW(reader.read(size + 1, 0, cache), FormatError);
  EXPECT_THROW(reader.read(1, ~std::uint64_t{0}, cache), FormatError);
}

INSTANTIATE_TEST_SUITE_P(All, BlockStreamSizes,
                         ::testing::Combine(::testing::Values(0, 1, 100, 16383, 16384, 16385, 100000),
                                            ::testing::Bool()));

TEST_F(BlockStream, CompressesWhatGetsSmallerAndKeepsTheRest) {
  write(text_of(65536, true), 1000);
  EXPECT_LT(data_->size(), 65536u / 2);
  posix_file_system().remove(scratch_ / "fields");
  posix_file_system().remove(scratch_ / "field_blocks");
  write(text_of(65536, false), 1000);
  EXPECT_EQ(data_->size(), 65536u);
}

TEST_F(BlockStream, RefusesAnotherSizeThanItsBlocksHave) {
  write(text_of(40000, true), 1000);
  EXPECT_THROW(BlockStreamReader(*data_, *offsets_, kFieldBlockBytes, 60000), FormatError);
  EXPECT_THROW(BlockStreamReader(*data_, *offsets_, kFieldBlockBytes, 0), FormatError);
  const BlockStreamReader shorter(*data_, *offsets_, kFieldBlockBytes, 39999);
  BlockStreamReader::Cache cache;
  EXPECT_THROW(shorter.read(0, 39999, cache), FormatError);
}

}  // namespace
}  // namespace spillway
