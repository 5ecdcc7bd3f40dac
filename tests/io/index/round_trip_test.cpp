// Writes an index and reads it back whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/format/index_types.hpp"
#include "io/index/postings_cursor.hpp"
#include "io/index/reader.hpp"
#include "io/index/verify.hpp"
#include "io/index/writer.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/sample_index.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::IndexedSample;
using testing::make_sample;
using testing::Postings;
using testing::read_bytes;
using testing::SampleIndex;
using testing::ScratchDirectory;
using testing::section_data;
using testing::write_sample;

// As write_sample, with one thread per stream.
void write_sample_with_threads(const std::string& directory, const SampleIndex& sample) {
  std::vector<std::uint8_t> codes;
  std::vector<std::uint32_t> with_id;
  for (std::uint32_t d = 0; d < sample.documents.size(); ++d) {
    codes.push_back(length_code(sample.documents[d].length));
    if ((sample.documents[d].fields & RunDocument::kId) != 0) with_id.push_back(d);
  }
  std::sort(with_id.begin(), with_id.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(sample.documents[a].id, a) < std::pair(sample.documents[b].id, b);
  });
  IndexWriter writer(posix_file_system(), directory, sample.options);
  std::thread documents([&] {
    for (const IndexedSample& document : sample.documents) writer.append_document(document.view());
    for (const std::uint32_t d : sample.dropped) writer.append_dropped(d);
  });
  std::thread ids([&] {
    for (const std::uint32_t d : with_id) writer.append_id_order(d);
  });
  ListEncoder encoder(codes);
  for (const auto& [term, postings] : sample.lists) {
    encoder.begin(term);
    for (const auto& [document, frequency] : postings) encoder.add({&document, 1}, {&frequency, 1});
    encoder.end();
    writer.append_lists(encoder.take());
    EXPECT_GT(writer.bytes_written(), 0u);
  }
  documents.join();
  ids.join();
  IndexTotals totals;
  totals.source_document_count = sample.source_document_count();
  totals.dropped_sum.add(hash_term("dropped"), sample.dropped.empty() ? 0 : 12345);
  totals.source_sum = testing::sum_of(sample);
  totals.source_sum.join(totals.dropped_sum, 0);
  writer.finish(totals);
}

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
    const IndexedSample& expected = sample.documents[d];
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

std::string all_bytes(const std::string& directory) {
  std::string bytes;
  for (const std::string& file : posix_file_system().list(directory)) {
    bytes.append(file).append("\n").append(read_bytes(std::string(directory).append("/").append(file)));
  }
  return bytes;
}

TEST(IndexRoundTrip, HoldsListsOfEveryLength) {
  std::mt19937_64 random(3);
  SampleIndex sample;
  sample.documents.resize(100000);
  const auto add = [&](std::size_t count, std::uint64_t most_gap, std::uint64_t most_frequency) {
    Postings& postings = sample.lists["t" + std::to_string(sample.lists.size())];
    std::uint64_t document = random() % most_gap;
    for (std::size_t i = 0; i < count && document < sample.documents.size(); ++i) {
      postings.emplace_back(static_cast<std::uint32_t>(document), 1 + random() % most_frequency);
      document += 1 + random() % most_gap;
    }
  };
  for (std::size_t count = 1; count <= 300; ++count) {
    add(count, 1 + random() % 300, 1);
    add(count, 1 + random() % 300, 1 + random() % 9);
  }
  for (const std::size_t count : {1000u, 1023u, 1024u, 1025u, 50000u, 100000u}) {
    for (const std::uint64_t gap : {1u, 2u}) add(count, gap, 1 + random() % 9);
  }
  ScratchDirectory scratch;
  write_sample(posix_file_system(), scratch / "index", sample);
  const IndexReader index(posix_file_system(), scratch / "index");
  TermTableCursor terms(index, "");
  for (const auto& [term, postings] : sample.lists) {
    ASSERT_TRUE(terms.next());
    ASSERT_EQ(read_list(index, terms.entry()), postings) << term;
  }
  verify_index(index);
}

// Wide random frequencies make long lists of few postings. All sections of documents are longer than their buffers.
SampleIndex sample_of_all_parts() {
  constexpr std::uint32_t kAllDocuments = 40000, kDocuments = 20000, kTerms = 1000, kGap = 16;
  std::mt19937_64 random(11);
  SampleIndex sample;
  sample.options.positions = false;
  sample.documents.resize(kAllDocuments);
  for (std::uint32_t d = 0; d < kAllDocuments; ++d) {
    IndexedSample& document = sample.documents[d];
    document.fields = RunDocument::kId | RunDocument::kTitle;
    document.id = "document" + std::to_string(d);
    document.title = "about " + std::to_string(random());
  }
  for (std::uint32_t t = 0; t < kTerms; ++t) {
    Postings& postings = sample.lists["term" + std::to_string(t)];
    const std::uint32_t gap = t % 100 == 50 ? 1 : kGap;  // some lists are longer than a stretch
    for (std::uint64_t d = random() % gap; d < kDocuments; d += 1 + random() % gap) {
      postings.emplace_back(static_cast<std::uint32_t>(d), 1 + random() % (1 << 20));
    }
  }
  return sample;
}

TEST(IndexRoundTrip, DealsListsToItsParts) {
  SampleIndex sample = sample_of_all_parts();
  ScratchDirectory scratch;
  write_sample(posix_file_system(), scratch / "index", sample);
  const IndexReader index(posix_file_system(), scratch / "index");
  TermTableCursor terms(index, "");
  unsigned part = 0;
  std::uint64_t stretch = 0;
  std::set<unsigned> parts;
  for (const auto& [term, postings] : sample.lists) {
    ASSERT_TRUE(terms.next());
    const TermEntry& entry = terms.entry();
    if (stretch >= kPartStretchBytes) {
      part = (part + 1) % kListParts;
      stretch = 0;
    }
    ASSERT_EQ(entry.part, part) << term;
    stretch += entry.posting_bytes;
    parts.insert(part);
    ASSERT_EQ(read_list(index, entry), postings) << term;
    ASSERT_EQ(read_list(index, *index.find_term(term)), postings) << term;
  }
  EXPECT_EQ(parts.size(), kListParts);
  verify_index(index);
}

// The memory of a batch is kept until the threads of all parts have written what is theirs.
TEST(IndexRoundTrip, GivesTheSameBytesWhereThreadsWriteTheParts) {
  SampleIndex sample = sample_of_all_parts();
  ScratchDirectory scratch;
  write_sample(posix_file_system(), scratch / "alone", sample);
  write_sample(posix_file_system(), scratch / "helped", sample, {.batch_bytes = std::size_t{3} << 20, .helpers = true});
  EXPECT_TRUE(all_bytes(scratch / "helped") == all_bytes(scratch / "alone"));
}

TEST(IndexRoundTrip, HoldsTheWidestFrequencies) {
  SampleIndex sample;
  sample.documents.resize(400);
  for (std::uint32_t d = 0; d < 400; ++d) {
    sample.lists["some"].emplace_back(d, d == 7 ? 0xFFFFFFF0u : 1);
    if (d < 128) sample.lists["block"].emplace_back(d, d == 20 ? 0xFFFFFF00u : 2);
  }
  sample.lists["single"].emplace_back(3, 0xFFFFFF00u);
  ScratchDirectory scratch;
  write_sample(posix_file_system(), scratch / "index", sample);
  const IndexReader index(posix_file_system(), scratch / "index");
  for (const auto& [term, postings] : sample.lists) ASSERT_EQ(read_list(index, *index.find_term(term)), postings);
  verify_index(index);
}

TEST(IndexRoundTrip, GivesTheSameBytesWhereverBatchesEnd) {
  SampleIndex sample = make_sample(3000, 300, 4);
  sample.options.positions = true;
  ScratchDirectory scratch;
  write_sample(posix_file_system(), scratch / "whole", sample);
  const std::string expected = all_bytes(scratch / "whole");
  for (const testing::WriteOptions& options :
       {testing::WriteOptions{0, 1, 1}, testing::WriteOptions{0, 127, 7}, testing::WriteOptions{500, 128, 1000},
        testing::WriteOptions{3000, 129, 50}, testing::WriteOptions{100000, 5000, 2}}) {
    write_sample(posix_file_system(), scratch / "cut", sample, options);
    ASSERT_EQ(all_bytes(scratch / "cut"), expected) << options.batch_bytes;
    std::filesystem::remove_all(scratch / "cut");
  }
}

TEST(IndexRoundTrip, BoundsHoldForEveryPostingOfTheirBlock) {
  SampleIndex sample = make_sample(20000, 30, 8);
  ScratchDirectory scratch;
  write_sample(posix_file_system(), scratch / "index", sample);
  const IndexReader index(posix_file_system(), scratch / "index");
  std::size_t blocks = 0;
  for (const auto& [term, postings] : sample.lists) {
    const TermEntry entry = *index.find_term(term);
    const std::vector<BlockBound> bounds = index.bounds(entry);
    ASSERT_EQ(bounds.size(), postings.size() > 128 ? (postings.size() + 127) / 128 : 0);
    for (std::size_t i = 0; i < postings.size() && !bounds.empty(); ++i) {
      const BlockBound& bound = bounds[i / 128];
      ASSERT_LE(postings[i].first, bound.last_document);
      ASSERT_LE(postings[i].second, bound.max_frequency);
      ASSERT_GE(sample.documents[postings[i].first].length, bound.min_length);
      ASSERT_LE(bound.offset, entry.posting_bytes);
      if (i % 128 == 127 || i + 1 == postings.size()) {
        ASSERT_EQ(postings[i].first, bound.last_document);
      }
    }
    blocks += bounds.size();
  }
  EXPECT_GT(blocks, 20u);
}

SampleIndex with_ids(const std::vector<std::string>& ids) {
  SampleIndex sample;
  for (const std::string& id : ids) {
    IndexedSample document;
    if (id != "-") {
      document.id = id;
      document.fields = RunDocument::kId;
    }
    sample.documents.push_back(document);
  }
  return sample;
}

TEST(IndexRoundTrip, FindsDocumentsByStoredOrComputedId) {
  const std::string long_id(70000, 'i');
  SampleIndex sample = with_ids({"b", "-", "", "a", "b", "-", "2", long_id, long_id + "x", "b", "-"});
  ScratchDirectory scratch;
  write_sample(posix_file_system(), scratch / "index", sample);
  const IndexReader index(posix_file_system(), scratch / "index");
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(index.find_documents("b"), (Numbers{0, 4, 9}));
  EXPECT_EQ(index.find_documents("a"), Numbers{3});
  EXPECT_EQ(index.find_documents(""), Numbers{2});
  EXPECT_EQ(index.find_documents(long_id), Numbers{7});
  EXPECT_EQ(index.find_documents(long_id + "x"), Numbers{8});
  EXPECT_EQ(index.find_documents(long_id + "y"), Numbers{});
  EXPECT_EQ(index.find_documents("2"), Numbers{6});  // a stored id; document 1 has the same as its computed id
  EXPECT_EQ(index.find_documents("6"), Numbers{5});
  EXPECT_EQ(index.find_documents("11"), Numbers{10});
  for (const char* absent : {"1", "0", "12", "06", "+6", "-6", " 6", "6 ", "6x", "aa", "c", "18446744073709551616"}) {
    EXPECT_EQ(index.find_documents(absent), Numbers{}) << absent;
  }
  EXPECT_EQ(index.document_id(5), "6");
  EXPECT_EQ(index.document_id(8), long_id + "x");
  verify_index(index);
}

TEST(IndexRoundTrip, StoresNothingOfDocumentsWithoutIdsAndFields) {
  SampleIndex sample;
  sample.documents.resize(10000);
  ScratchDirectory scratch;
  write_sample(posix_file_system(), scratch / "index", sample);
  const IndexReader index(posix_file_system(), scratch / "index");
  for (const Section section : {Section::kDocuments, Section::kIds, Section::kIdOrder, Section::kFields}) {
    EXPECT_EQ(section_data(scratch / "index", section).size(), 0u);
  }
  EXPECT_EQ(index.document_id(9999), "10000");
  EXPECT_EQ(index.find_documents("10000"), std::vector<std::uint32_t>{9999});
  EXPECT_EQ(index.find_documents("10001"), std::vector<std::uint32_t>{});
  verify_index(index);
}

TEST(IndexWriter, TakesItsThreeStreamsFromThreeThreads) {
  SampleIndex sample = make_sample(5000, 200, 21);
  ScratchDirectory scratch;
  write_sample(posix_file_system(), scratch / "one", sample);
  write_sample_with_threads(scratch / "three", sample);
  EXPECT_EQ(all_bytes(scratch / "three"), all_bytes(scratch / "one"));
}

TEST(IndexWriter, LeavesNothingThatOpensUnlessFinished) {
  ScratchDirectory scratch;
  {
    IndexWriter writer(posix_file_system(), scratch / "index", {});
    writer.append_document({});
  }
  EXPECT_THROW(IndexReader(posix_file_system(), scratch / "index"), FormatError);
  EXPECT_THROW(IndexReader(posix_file_system(), scratch / "nowhere"), IoError);
  EXPECT_THROW(IndexWriter(posix_file_system(), scratch / "index", {}), IoError);
}

TEST(IndexWriter, RefusesTotalsThatDoNotFitItsStreams) {
  const auto finish = [](auto write) {
    ScratchDirectory scratch;
    IndexWriter writer(posix_file_system(), scratch / "index", {});
    IndexTotals totals;
    totals.source_document_count = 1;
    RunDocument document;
    write(writer, document);
    writer.append_document(document);
    writer.finish(totals);
    EXPECT_GT(writer.bytes_written(), 14u * 96);
  };
  const std::vector<std::uint8_t> codes(1, 0);
  const auto list_of = [&](std::uint32_t frequency) {
    ListEncoder encoder(codes);
    const std::uint32_t document = 0;
    encoder.begin("a");
    encoder.add({&document, 1}, {&frequency, 1});
    encoder.end();
    return encoder.take();
  };
  EXPECT_NO_THROW(finish([](IndexWriter&, RunDocument&) {}));
  EXPECT_THROW(finish([](IndexWriter& w, RunDocument&) { w.append_document({}); }), FormatError);
  EXPECT_THROW(finish([](IndexWriter& w, RunDocument&) { w.append_dropped(0); }), FormatError);
  EXPECT_THROW(finish([](IndexWriter& w, RunDocument&) { w.append_id_order(0); }), FormatError);
  EXPECT_THROW(finish([](IndexWriter&, RunDocument& d) { d.fields = RunDocument::kId; }), FormatError);
  EXPECT_THROW(finish([](IndexWriter&, RunDocument& d) { d.length = 1; }), FormatError);
  EXPECT_THROW(finish([](IndexWriter&, RunDocument& d) { d.fields = RunDocument::kDropped; }), FormatError);
  EXPECT_THROW(finish([&](IndexWriter& w, RunDocument& d) { d.length = 2, w.append_lists(list_of(1)); }), FormatError);
  EXPECT_NO_THROW(finish([&](IndexWriter& w, RunDocument& d) { d.length = 2, w.append_lists(list_of(2)); }));
  EXPECT_THROW(finish([](IndexWriter& w, RunDocument&) { w.append_dropped(3), w.append_dropped(3); }),
               std::logic_error);
  EXPECT_THROW(finish([&](IndexWriter& w, RunDocument&) { w.append_lists(list_of(1)), w.append_lists(list_of(1)); }),
               FormatError);
}

TEST(IndexWriter, StaysWithinFourMebibytes) { EXPECT_LE(IndexWriter::memory_bytes(), std::size_t{4} << 20); }

}  // namespace
}  // namespace spillway
