// The file is foreign: every field is checked, and an error names its place.
#include "tools/exchange/ciff_reader.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/tools/exchange/ciff_bytes.hpp"

namespace spillway {
namespace {

using testing::CiffFile;
using testing::delimited;
using testing::proto_bytes;
using testing::proto_number;

class Collected final : public CiffSink {
 public:
  void header(const CiffHeader& header) override {
    text += header.description + " " + std::to_string(header.lists) + " " + std::to_string(header.documents) + "\n";
  }
  void begin_list(std::string_view term) override { text += std::string(term) + ":"; }
  void posting(std::uint32_t document, std::uint32_t frequency) override {
    text += " " + std::to_string(document) + "x" + std::to_string(frequency);
  }
  void end_list() override { text += "\n"; }
  void document(std::string_view id, std::uint32_t length) override {
    text += std::string(id) + "=" + std::to_string(length) + "\n";
  }
  std::string text;
};

constexpr const char* kGood = "made by a test 3 3\nhead: 0x1 1x1 2x1\ntail: 1x3\nwörter: 0x2 2x1\na=3\nb=4\nc=2\n";

std::string read(const std::string& bytes, const CiffRules& rules = {}) {
  testing::FaultyFileSystem files;
  files.put("/job/file.ciff", bytes);
  MemoryBudget budget(std::size_t{64} << 20);
  Collected collected;
  WireReader in(files, "/job/file.ciff", budget, [] {});
  read_ciff(in, collected, budget, rules);
  return collected.text;
}

std::string refusal(const std::string& bytes, const CiffRules& rules = {}) {
  try {
    read(bytes, rules);
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("/job/file.ciff: byte "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("expected "), std::string::npos) << error.what();
    return error.what();
  }
  return "accepted";
}

// Changes the good file, and expects these words.
template <typename Change>
void expect_refused(const Change& change, const std::string& words) {
  CiffFile file;
  change(file);
  EXPECT_NE(refusal(file.bytes()).find(words), std::string::npos) << words << " | " << refusal(file.bytes());
}

constexpr std::uint64_t kNegative = ~std::uint64_t{0};  // -1 as protocol buffers write it

TEST(CiffReader, ReadsHeaderListsAndDocuments) { EXPECT_EQ(read(CiffFile().bytes()), kGood); }

TEST(CiffReader, ReadsTheExampleOfTheFormat) {
  const std::string example(
      "\x1a\x0a\x04head\x10\x03\x18\x03\x22\x02\x10\x01\x22\x04\x08\x01\x10\x01\x22\x04\x08\x01\x10\x01", 27);
  EXPECT_EQ(example, delimited(CiffFile().lists[0].message()));
}

TEST(CiffReader, UnpacksGzipAndZstdByContent) {
  const std::string bytes = CiffFile().bytes();
  EXPECT_EQ(read(testing::gzip_member(bytes)), kGood);
  EXPECT_EQ(read(testing::gzip_member(bytes.substr(0, 40)) + testing::gzip_member(bytes.substr(40))), kGood);
  EXPECT_EQ(read(testing::zstd_frame(bytes)), kGood);
}

TEST(CiffReader, RefusesDamagedPacking) {
  const std::string packed = testing::gzip_member(CiffFile().bytes());
  std::string flipped = packed;
  flipped[flipped.size() - 6] ^= 1;  // the CRC
  for (const std::string& bytes : {packed.substr(0, packed.size() - 1), flipped, packed + "junk"}) {
    EXPECT_NE(refusal(bytes).find("of the unpacked file: expected an undamaged packed file"), std::string::npos)
        << refusal(bytes);
  }
}

TEST(CiffReader, RefusesEveryPrefix) {
  const std::string bytes = CiffFile().bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(refusal(bytes.substr(0, size)), "accepted") << size;
  }
}

TEST(CiffReader, ReadsFieldsInAnyOrderButTermsFirst) {
  CiffFile file;
  const std::string posting = proto_number(2, 1) + proto_number(1, 1);
  file.lists.clear();
  const std::string list = proto_bytes(1, "a") + proto_bytes(4, posting) + proto_number(3, 1) + proto_number(2, 1);
  file.lists_count = file.total_lists = 1;
  file.terms = 1;
  file.records = {{0, "a", 0}, {1, "b", 1}, {2, "c", 0}};
  const std::string documents = delimited(file.records[0].message()) + delimited(file.records[1].message()) +
                                delimited(proto_bytes(2, "c") + proto_number(1, 2));
  EXPECT_EQ(read(delimited(file.header()) + delimited(list) + documents),
            "made by a test 1 3\na: 1x1\na=0\nb=1\nc=0\n");
  const std::string late = proto_bytes(4, posting) + proto_bytes(1, "a") + proto_number(3, 1) + proto_number(2, 1);
  EXPECT_NE(refusal(delimited(file.header()) + delimited(late) + documents).find("term of PostingsList 0"),
            std::string::npos);
}

TEST(CiffReader, RefusesBadHeaders) {
  expect_refused([](CiffFile& file) { file.version = 2; }, "version 1, found version 2");
  expect_refused([](CiffFile& file) { file.lists_count = kNegative; }, "num_postings_lists of the Header from 0 to");
  expect_refused([](CiffFile& file) { file.documents_count = kNegative; }, "found -1");
  expect_refused([](CiffFile& file) { file.terms = kNegative; }, "total_terms_in_collection");
  expect_refused([](CiffFile& file) { file.total_lists = 4; }, "3 of 4 lists, 3 of 3 documents");
  expect_refused([](CiffFile& file) { file.total_documents = 7; }, "3 of 7 documents");
  expect_refused([](CiffFile& file) { file.average_length = -1; }, "average_doclength");
  expect_refused([](CiffFile& file) { file.average_length = 0.0 / 0.0; }, "average_doclength");
  expect_refused([](CiffFile& file) { file.description = "\xFF"; }, "description of the Header in UTF-8");
  EXPECT_NE(refusal("").find("byte 0: expected a CIFF Header, found an empty file"), std::string::npos);
}

TEST(CiffReader, RefusesCountsThatDifferFromWhatFollows) {
  expect_refused([](CiffFile& file) { file.lists_count = file.total_lists = 2; }, "the sum of all frequencies");
  expect_refused([](CiffFile& file) { file.lists_count = file.total_lists = 4; }, "PostingsList 3");
  expect_refused([](CiffFile& file) { file.documents_count = file.total_documents = 4; }, "the end of the file");
  expect_refused([](CiffFile& file) { file.records.pop_back(); }, "the end of the file");
  expect_refused([](CiffFile& file) { file.rest = std::string(1, '\0'); }, "the end of the file after 3 DocRecords");
  expect_refused([](CiffFile& file) { file.terms = 10; }, "to be total_terms_in_collection, 10, found 9");
  expect_refused([](CiffFile& file) { file.records[2].length = 3; },
                 "doclength of DocRecord 2 to be the sum of the document's frequencies, 2, found 3");
  expect_refused([](CiffFile& file) { file.lists[0].document_count = 2; }, "df of PostingsList 0 ('head')");
  expect_refused([](CiffFile& file) { file.lists[2].occurrence_count = 4; }, "cf of PostingsList 2");
  expect_refused([](CiffFile& file) { file.lists[1].document_count = kNegative; }, "df of PostingsList 1 from 0 to");
}

TEST(CiffReader, RefusesBadPostings) {
  expect_refused([](CiffFile& file) { file.lists[0].postings[1].second = 0; }, "tf of a Posting of 'head'");
  expect_refused([](CiffFile& file) { file.lists[0].postings[1].second = kNegative; }, "tf of a Posting from 0 to");
  expect_refused([](CiffFile& file) { file.lists[0].postings[1].first = 0; }, "a gap to the one before");
  expect_refused([](CiffFile& file) { file.lists[0].postings[1].first = kNegative; }, "docid of a Posting from 0 to");
  expect_refused([](CiffFile& file) { file.lists[1].postings[0].first = 3; }, "below num_docs, 3, found 3");
  expect_refused([](CiffFile& file) { file.lists[1].postings.clear(); }, "postings of the term of PostingsList 1");
}

TEST(CiffReader, RefusesBadTerms) {
  expect_refused([](CiffFile& file) { std::swap(file.lists[0], file.lists[1]); }, "after 'tail' in byte order");
  expect_refused([](CiffFile& file) { file.lists[1].term = "head"; }, "found 'head'");
  expect_refused([](CiffFile& file) { file.lists[0].term = ""; }, "term of PostingsList 0 before its postings");
  expect_refused([](CiffFile& file) { file.lists[0].term = "\xC3"; }, "term of PostingsList 0 in UTF-8");
  EXPECT_NE(
      refusal(CiffFile().bytes(), {.max_term_bytes = 4}).find("term of PostingsList 2 of at most 4 bytes, found 7"),
      std::string::npos)
      << refusal(CiffFile().bytes(), {.max_term_bytes = 4});
}

TEST(CiffReader, RefusesBadDocuments) {
  expect_refused([](CiffFile& file) { std::swap(file.records[0], file.records[1]); }, "docid of DocRecord 0, in order");
  expect_refused([](CiffFile& file) { file.records[1].id = "\xFF"; }, "collection_docid of DocRecord 1 in UTF-8");
  expect_refused([](CiffFile& file) { file.records[1].id.assign(65536, 'x'); }, "of at most 65535 bytes");
  expect_refused([](CiffFile& file) { file.records[1].length = kNegative; }, "doclength of DocRecord 1 from 0 to");
}

// The index would be one that verify calls damaged.
TEST(CiffReader, RefusesLengthsThatAreNotThoseOfTheLists) {
  expect_refused(
      [](CiffFile& file) {
        std::swap(file.records[0].length, file.records[1].length);  // the sum stays
      },
      "doclength of DocRecord 0 to be the sum of the document's frequencies, 3, found 4");
  expect_refused([](CiffFile& file) { file.records[2] = {2, "", 2}; }, "collection_docid of DocRecord 2, found none");
  CiffFile rounded;
  for (testing::CiffRecord& record : rounded.records) record.length = 40;
  EXPECT_NE(refusal(rounded.bytes()).find("--lengths postings"), std::string::npos);
  EXPECT_EQ(read(rounded.bytes(), {.lengths = CiffLengths::kPostings}), kGood);
}

TEST(CiffReader, RefusesDocumentsThatAreTooLong) {
  constexpr std::uint64_t kMost = 0x7FFFFFFF;
  CiffFile file;
  for (auto& list : file.lists) {
    list.postings = {{1, kMost}};
    list.document_count = 1;
    list.occurrence_count = kMost;
  }
  file.terms = 3 * kMost;
  EXPECT_NE(refusal(file.bytes(), {.lengths = CiffLengths::kPostings}).find("of DocRecord 1 of less than 2^31"),
            std::string::npos);
}

// The file states 2^31 - 1 documents, and its posting is of the last.
TEST(CiffReader, TakesNoMemoryForDocumentsThatAreOnlyStated) {
  CiffFile file;
  file.lists_count = file.total_lists = file.terms = 1;
  file.documents_count = file.total_documents = 0x7FFFFFFF;
  file.lists = {{"head", {{0x7FFFFFFE, 1}}, 1, 1}};
  EXPECT_NE(refusal(file.bytes()).find("doclength of DocRecord 0"), std::string::npos);
}

TEST(CiffReader, RefusesBadMessages) {
  const CiffFile file;
  const std::string header = delimited(file.header());
  const auto after_header = [&](const std::string& bytes) { return refusal(header + bytes); };
  EXPECT_NE(after_header(testing::proto_varint(std::uint64_t{1} << 31)).find("below 2 GiB"), std::string::npos);
  EXPECT_NE(after_header(std::string(11, '\x80')).find("a varint of at most 64 bits"), std::string::npos);
  // A term of 2 GiB less one byte: no memory is taken for it.
  EXPECT_NE(after_header(testing::proto_varint(0x7FFFFFFF) + "\x0a" + testing::proto_varint(0x7FFFFFF0))
                .find("term of PostingsList 0 of at most 255 bytes"),
            std::string::npos);
  EXPECT_NE(after_header(delimited("\x0a\x05"
                                   "ab"))
                .find("a field inside PostingsList 0"),
            std::string::npos);
  EXPECT_NE(after_header(delimited("\x0a\x01"
                                   "a\x22\x05\x10\x01"))
                .find("a field inside PostingsList 0"),
            std::string::npos);
  EXPECT_NE(after_header(delimited("\x10\x81") + "\x01").find("a field beyond it"), std::string::npos);
  EXPECT_NE(after_header(delimited("\x2a\x01x")).find("found field 5 of wire type 2"), std::string::npos);
  EXPECT_NE(after_header(delimited("\x08\x01")).find("found field 1 of wire type 0"), std::string::npos);
  EXPECT_NE(after_header(delimited("\x10\x01\x10\x01")).find("field 2 again"), std::string::npos);
}

}  // namespace
}  // namespace spillway
