#include "io/index/list_blocks.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/sample_index.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ScratchDirectory;

// Lists of 1, a few, 127, 128, 129, 256 and many postings, with wide gaps and large frequencies.
testing::SampleIndex sample() {
  testing::SampleIndex made = testing::make_sample(40'000, 4, 5);
  for (const std::uint32_t count : {1u, 2u, 127u, 128u, 129u, 256u, 300u, 9000u}) {
    testing::Postings& list = made.lists["list" + std::to_string(count)];
    for (std::uint32_t i = 0; i < count; ++i) {
      list.emplace_back(i * (39'999 / count) + i % 3, i % 50 == 7 ? 1000 + i : 1 + i % 2);
    }
  }
  return made;
}

TEST(ListBlocks, HandsOutTheBlocksOfTheCursorInAnyOrder) {
  const ScratchDirectory scratch;
  testing::SampleIndex made = sample();
  testing::write_sample(posix_file_system(), scratch / "index", made);
  const IndexReader index(posix_file_system(), scratch / "index");
  for (const auto& [term, list] : made.lists) {
    const TermEntry entry = *index.find_term(term);
    ListBlocks blocks(index, entry);
    ASSERT_EQ(blocks.size(), (list.size() + 127) / 128) << term;
    EXPECT_EQ(blocks.has_bounds(), list.size() > 128);
    for (std::size_t i = blocks.size(); i-- > 0;) {
      std::uint32_t documents[kPostingsBlock], frequencies[kPostingsBlock];
      blocks.decode_frequencies(i, frequencies);
      blocks.decode_documents(i, documents);
      for (std::size_t at = 0; at < blocks.posting_count(i); ++at) {
        const auto& [document, frequency] = list[i * 128 + at];
        ASSERT_EQ(documents[at], document) << term << " block " << i;
        ASSERT_EQ(frequencies[at], frequency) << term << " block " << i;
        if (!blocks.has_bounds()) continue;
        EXPECT_GE(documents[at], blocks.least_document(i));
        EXPECT_LE(frequencies[at], frequency_of_code(blocks.frequency_code(i)));
        EXPECT_GE(index.document_length(document), length_of_code(blocks.length_code(i)));
      }
      if (blocks.has_bounds()) {
        EXPECT_EQ(documents[blocks.posting_count(i) - 1], blocks.last_document(i));
      }
    }
  }
}

// For any bytes in the files, returned documents ascend and exist; otherwise the list is refused.
TEST(ListBlocks, RefusesOrHandsOutDocumentsThatExist) {
  const ScratchDirectory scratch;
  testing::SampleIndex made = sample();
  testing::write_sample(posix_file_system(), scratch / "index", made);
  std::mt19937_64 random(8);
  int refused = 0, taken = 0;
  for (const Section section : {Section::kPostings, Section::kBounds}) {
    const std::string data = testing::section_data(scratch / "index", section);
    for (int round = 0; round < 150; ++round) {
      std::string damaged = data;
      for (int i = 0; i < 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
      testing::forge_section(scratch / "index", section, damaged);
      const IndexReader index(posix_file_system(), scratch / "index");
      for (const auto& [term, list] : made.lists) {
        try {
          ListBlocks blocks(index, *index.find_term(term));
          std::uint32_t documents[kPostingsBlock], frequencies[kPostingsBlock];
          for (std::size_t i = 0; i < blocks.size(); ++i) {
            blocks.decode_frequencies(i, frequencies);
            blocks.decode_documents(i, documents);
            for (std::size_t at = 0; at < blocks.posting_count(i); ++at) {
              ASSERT_GE(frequencies[at], 1u);
              ASSERT_LT(documents[at], 40'000u);
              ASSERT_TRUE(at == 0 || documents[at - 1] < documents[at]);
            }
            if (!blocks.has_bounds()) continue;
            ASSERT_GE(documents[0], blocks.least_document(i));
            ASSERT_EQ(documents[blocks.posting_count(i) - 1], blocks.last_document(i));
          }
          ++taken;
        } catch (const FormatError&) {
          ++refused;
        }
      }
    }
    testing::forge_section(scratch / "index", section, data);
  }
  EXPECT_GT(refused, 20);
  EXPECT_GT(taken, 20);
}

}  // namespace
}  // namespace spillway
