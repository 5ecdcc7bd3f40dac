// An index written and read back, whole.
#include <gtest/gtest.h>

#include <set>

#include "io/error.hpp"
#include "io/index_reader.hpp"
#include "io/index_writer.hpp"
#include "tests/support/sample_index.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::make_sample;
using testing::Postings;
using testing::SampleDocument;
using testing::SampleIndex;
using testing::ScratchDirectory;
using testing::write_sample;

Postings read_list(const IndexReader& index, const TermEntry& entry) {
  Postings postings;
  PostingsCursor cursor(index, entry);
  while (cursor.next_block()) {
    for (std::size_t i = 0; i < cursor.documents().size(); ++i) {
      postings.emplace_back(cursor.documents()[i], cursor.frequencies()[i]);
    }
  }
  return postings;
}

void expect_holds(const IndexReader& index, const SampleIndex& sample) {
  ASSERT_EQ(index.counts().terms, sample.lists.size());
  TermTableCursor terms(index, "");
  std::uint64_t number = 0;
  for (const auto& [term, postings] : sample.lists) {
    ASSERT_TRUE(terms.next());
    ASSERT_EQ(terms.entry().term, term);
    ASSERT_EQ(terms.entry().number, number++);
    ASSERT_EQ(read_list(index, terms.entry()), postings);
    const auto found = index.find_term(term);
    ASSERT_TRUE(found);
    ASSERT_EQ(read_list(index, *found), postings);
  }
  ASSERT_FALSE(terms.next());
  ASSERT_EQ(index.counts().documents, sample.documents.size());
  for (std::uint32_t d = 0; d < sample.documents.size(); ++d) {
    const SampleDocument& expected = sample.documents[d];
    const StoredDocument found = index.document(d);
    ASSERT_EQ(found.fields, expected.fields);
    ASSERT_EQ(found.id, (expected.fields & RunDocument::kId) != 0 ? expected.id : std::to_string(d + 1));
    ASSERT_EQ(index.document_id(d), found.id);
    ASSERT_EQ(found.title, expected.title);
    ASSERT_EQ(found.url, expected.url);
    ASSERT_EQ(found.date, expected.date);
    ASSERT_EQ(found.length, expected.length);
    ASSERT_EQ(index.document_text(d), expected.text);
    ASSERT_EQ(index.document_lengths()[d], expected.length);
  }
  EXPECT_EQ(index.dropped_documents(), sample.dropped);
}

TEST(IndexRoundTrip, HoldsWhatWasWritten) {
  for (const std::uint32_t documents : {0u, 1u, 63u, 64u, 65u, 500u, 3000u}) {
    ScratchDirectory scratch;
    SampleIndex sample = make_sample(documents, documents / 2 + 1, documents);
    write_sample(posix_file_system(), scratch / "index", sample);
    const IndexReader index(posix_file_system(), scratch / "index");
    expect_holds(index, sample);
    EXPECT_EQ(index.options(), sample.options);
  }
}

}  // namespace
}  // namespace spillway
