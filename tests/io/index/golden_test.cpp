// Detects unintended changes of the format: every byte of an index is kept in tests/io/golden/index. To regenerate it
// after an intended change (with a new version number, see docs/formats.md), run this test with
// SPILLWAY_REGENERATE_GOLDEN=1.
#include <gtest/gtest.h>
#include <zstd.h>

#include <cstdlib>
#include <filesystem>

#include "io/file/posix_file_system.hpp"
#include "io/index/postings_cursor.hpp"
#include "io/index/verify.hpp"
#include "tests/support/golden_index.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::golden_sample;
using testing::read_bytes;
using testing::SampleIndex;
using testing::ScratchDirectory;
using testing::write_sample;

const std::string kGolden = testing::source_directory() + "/tests/io/golden/index";

TEST(GoldenIndex, IsWrittenByteForByte) {
  if (std::string(ZSTD_versionString()) != "1.5.4") {
    GTEST_SKIP() << "the golden index is compressed by zstd 1.5.4, this is " << ZSTD_versionString();
  }
  ScratchDirectory scratch;
  SampleIndex sample = golden_sample();
  write_sample(posix_file_system(), scratch / "index", sample);
  if (std::getenv("SPILLWAY_REGENERATE_GOLDEN") != nullptr) {
    std::filesystem::remove_all(kGolden);
    std::filesystem::copy(scratch / "index", kGolden);
  }
  ASSERT_EQ(posix_file_system().list(scratch / "index"), posix_file_system().list(kGolden));
  for (const std::string& file : posix_file_system().list(kGolden)) {
    EXPECT_EQ(read_bytes(scratch / ("index/" + file)), read_bytes(std::string(kGolden).append("/").append(file)))
        << file;
  }
}

TEST(GoldenIndex, IsReadWhole) {
  const IndexReader index(posix_file_system(), kGolden);
  verify_index(index);
  const SampleIndex sample = golden_sample();
  EXPECT_EQ(index.options(), sample.options);
  EXPECT_EQ(index.counts().terms, sample.lists.size());
  EXPECT_EQ(index.counts().source_documents, 305u);
  EXPECT_EQ(index.dropped_documents(), sample.dropped);
  for (const auto& [term, postings] : sample.lists) {
    const auto entry = index.find_term(term);
    ASSERT_TRUE(entry) << term;
    PostingsCursor cursor(index, *entry);
    testing::Postings found;
    while (cursor.next_block()) {
      for (std::size_t i = 0; i < cursor.documents().size(); ++i) {
        found.emplace_back(cursor.documents()[i], cursor.frequencies()[i]);
      }
    }
    ASSERT_EQ(found, postings) << term;
  }
  for (std::uint32_t d = 0; d < sample.documents.size(); ++d) {
    const auto& expected = sample.documents[d];
    const StoredDocument found = index.document(d);
    ASSERT_EQ(found.fields, expected.fields);
    if ((expected.fields & RunDocument::kId) != 0) {
      ASSERT_EQ(found.id, expected.id);
    }
    ASSERT_EQ(found.title, expected.title);
    ASSERT_EQ(found.url, expected.url);
    ASSERT_EQ(found.date, expected.date);
    ASSERT_EQ(index.document_text(d), expected.text);
  }
}

}  // namespace
}  // namespace spillway
