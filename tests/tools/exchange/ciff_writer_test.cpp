#include "tools/exchange/ciff_writer.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/sample_index.hpp"
#include "tests/tools/exchange/ciff_bytes.hpp"
#include "tools/cli/build_facts.hpp"

namespace spillway {
namespace {

using testing::CiffFile;
using testing::IndexedSample;
using testing::SampleIndex;

std::string written(SampleIndex& sample, std::uint64_t most_message_bytes = ciff::kMaxMessageBytes) {
  testing::FaultyFileSystem files;
  testing::write_sample(files, "/job/index", sample);
  const IndexReader index(files, "/job/index");
  std::string bytes;
  const ExportContext context{[] {}, [](const char*) {}, [](std::uint64_t) {}};
  DocumentOrder order;
  write_ciff(
      index, order, [&](std::string_view more) { bytes += more; }, context, most_message_bytes);
  return bytes;
}

SampleIndex index_of_good_file() {
  SampleIndex sample;
  for (const char* id : {"a", "b", "c"}) {
    IndexedSample document;
    document.fields = RunDocument::kId;
    document.id = id;
    sample.documents.push_back(document);
  }
  sample.lists = {{"head", {{0, 1}, {1, 1}, {2, 1}}}, {"tail", {{1, 3}}}, {"wörter", {{0, 2}, {2, 1}}}};
  return sample;
}

TEST(CiffWriter, WritesTheBytesOfTheFormat) {
  CiffFile expected;
  expected.description = std::string("Spillway ") + kVersion;
  SampleIndex sample = index_of_good_file();
  EXPECT_EQ(written(sample), expected.bytes());
}

// A document without an id has its number, from 1; one without words has no length; dropped ones leave no gap.
TEST(CiffWriter, NumbersTheDocumentsThatTheIndexHolds) {
  SampleIndex sample = index_of_good_file();
  sample.documents[1].fields = 0;
  sample.documents.emplace_back();
  sample.dropped = {0, 2, 5};
  CiffFile expected;
  expected.description = std::string("Spillway ") + kVersion;
  expected.documents_count = expected.total_documents = 4;
  expected.average_length = 9.0 / 4;
  expected.records[1].id = "2";
  expected.rest = testing::delimited(testing::proto_number(1, 3) + testing::proto_bytes(2, "4"));
  EXPECT_EQ(written(sample), expected.bytes());
}

TEST(CiffWriter, WritesAnEmptyIndex) {
  SampleIndex sample;
  const std::string description = std::string("Spillway ") + kVersion;
  EXPECT_EQ(written(sample), testing::delimited(testing::proto_number(1, 1) + testing::proto_bytes(8, description)));
}

TEST(CiffWriter, WritesListsOfManyBlocks) {
  SampleIndex sample = testing::make_sample(3000, 60, 7);
  for (std::size_t i = 0; i < sample.documents.size(); ++i) {
    sample.documents[i].fields |= RunDocument::kId;
    sample.documents[i].id = "id " + std::to_string(i);
  }
  CiffFile expected;
  expected.lists.clear();
  expected.records.clear();
  expected.terms = 0;
  const std::string bytes = written(sample);
  for (const auto& [term, postings] : sample.lists) {
    testing::CiffList list{term, {}, postings.size(), 0};
    std::uint64_t previous = 0;
    for (const auto& [document, frequency] : postings) {
      list.postings.emplace_back(document - previous, frequency);
      previous = document;
      list.occurrence_count += frequency;
    }
    expected.terms += list.occurrence_count;
    expected.lists.push_back(list);
  }
  for (std::size_t i = 0; i < sample.documents.size(); ++i) {
    expected.records.push_back({i, "id " + std::to_string(i), sample.documents[i].length});
  }
  expected.lists_count = expected.total_lists = expected.lists.size();
  expected.documents_count = expected.total_documents = expected.records.size();
  expected.average_length = static_cast<double>(expected.terms) / static_cast<double>(expected.records.size());
  expected.description = std::string("Spillway ") + kVersion;
  EXPECT_TRUE(bytes == expected.bytes());
}

TEST(CiffWriter, RefusesAListThatIsTooLongBeforeItWrites) {
  SampleIndex sample = testing::make_sample(3000, 60, 7);
  sample.lists["everywhere"].clear();
  for (std::uint32_t i = 0; i < 3000; ++i) sample.lists["everywhere"].emplace_back(i, 1);
  // 12 bytes of the term, 3 of each count; 4 of the first posting, 6 of each other.
  const std::uint64_t exact = 12 + 2 * 3 + 4 + 2999 * 6;
  EXPECT_NO_THROW(written(sample, exact));
  std::string words;
  try {
    written(sample, exact - 1);
  } catch (const UsageError& error) {
    words = error.what();
  }
  EXPECT_NE(words.find("the list of 'everywhere' with 3000 documents takes " + std::to_string(exact) + " bytes"),
            std::string::npos)
      << words;
  EXPECT_NE(words.find("--part"), std::string::npos) << words;
}

TEST(CiffWriter, RefusesIdsThatAreNotUtf8) {
  SampleIndex sample = index_of_good_file();
  sample.documents[1].id = "b\xFF";
  EXPECT_THROW(written(sample), UsageError);
}

}  // namespace
}  // namespace spillway
