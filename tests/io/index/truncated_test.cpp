// Files of an open index are truncated: whatever reads them gives the right answer or an error that names the file.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <sstream>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/index/cursors.hpp"
#include "io/index/verify.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/sample_index.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::read_bytes;
using testing::SampleIndex;
using testing::ScratchDirectory;
using testing::write_bytes;

constexpr std::uint32_t kDocuments = 1500;

// Lists of one posting, of a tail, of one block and of many blocks; every kind of field; lengths of two system pages.
SampleIndex sample() {
  SampleIndex made = testing::make_sample(kDocuments, 40, 7);
  made.options.positions = true;
  made.options.store = StorePolicy::kText;
  for (std::uint32_t d = 0; d < kDocuments; d += 3) made.lists["dense"].emplace_back(d, 1 + d % 3);
  for (std::uint32_t d = 0; d < 128; ++d) made.lists["block"].emplace_back(d, 1);
  made.lists["single"] = {{17, 3}};
  made.lists["few"] = {{0, 1}, {5, 300}, {130, 2}};
  return made;
}

void append(std::ostringstream& out, const RunEntry& entry) {
  out << entry.term << ' ' << entry.document_count << ' ' << entry.occurrence_count << ' ';
  for (const auto& bytes : {entry.postings, entry.positions}) {
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
}

std::string entries_of(const IndexReader& index) {
  std::ostringstream out;
  IndexTermCursor cursor(index, "", "");
  while (cursor.next()) append(out, cursor.entry());
  return out.str();
}

std::string run_documents_of(const IndexReader& index) {
  std::ostringstream out;
  IndexDocumentCursor cursor(index);
  while (cursor.next()) {
    const RunDocument& document = cursor.document();
    out << int{document.fields} << ' ' << document.length << ' ' << document.id << ' ' << document.title << ' '
        << document.url << ' ' << document.date << '\n';
  }
  return out.str();
}

std::string texts_of(const IndexReader& index) {
  std::string all;
  IndexTextCursor cursor(index);
  while (cursor.next()) all += std::string(cursor.fragment().bytes) + (cursor.fragment().ends_document ? "\n" : "");
  return all;
}

template <typename Values>
std::string joined(const Values& values) {
  std::ostringstream out;
  for (const auto& value : values) out << value << ' ';
  return out.str();
}

using Read = std::function<std::string(const IndexReader&)>;

std::string stored_of(const IndexReader& index, std::uint32_t number) {
  const StoredDocument found = index.document(number);
  return found.id + found.title + found.url + found.date + std::to_string(found.length);
}

std::string list_of(const IndexReader& index, const char* term) {
  PostingsCursor list(index, *index.find_term(term));
  std::string all;
  while (list.next_block()) all += joined(list.documents()) + joined(list.frequencies());
  return all;
}

std::string last_texts_of(const IndexReader& index) {
  std::string all;
  for (std::uint32_t d = kDocuments - 20; d < kDocuments; ++d) all += index.document_text(d);
  return all;
}

std::string bounds_of(const IndexReader& index) {
  std::string all;
  for (const BlockBound& bound : index.bounds(*index.find_term("dense"))) {
    all += joined(std::vector<std::uint64_t>{bound.last_document, bound.max_frequency, bound.min_length, bound.offset});
  }
  return all;
}

struct Reading {
  const char* name;
  std::vector<Section> sections;  // without which it cannot answer
  Read read;
};

std::vector<Reading> all_readings() {
  const std::vector<Section> documents{Section::kDocuments, Section::kDocumentGroups, Section::kIds};
  const std::vector<Section> lists{Section::kTerms, Section::kPostings, Section::kBounds};
  return {
      {"a term", {Section::kTerms}, [](const auto& index) { return index.find_term("dense")->term; }},
      {"terms",
       {Section::kTerms},
       [](const auto& index) {
         std::string all;
         for (TermTableCursor terms(index, "b"); terms.next();) all += terms.entry().term + " ";
         return all;
       }},
      {"bounds", {Section::kBounds}, bounds_of},
      {"a list", lists, [](const auto& index) { return list_of(index, "dense"); }},
      {"a block", {Section::kPostings}, [](const auto& index) { return list_of(index, "block"); }},
      {"a tail", {Section::kPostings}, [](const auto& index) { return list_of(index, "few"); }},
      {"a length", {Section::kLengths}, [](const auto& index) { return std::to_string(index.document_length(17)); }},
      {"lengths",
       {Section::kLengths},
       [](const auto& index) {
         std::string all = joined(index.document_lengths());
         index.check_whole();
         return all;
       }},
      {"an id", documents, [](const auto& index) { return index.document_id(kDocuments - 1); }},
      {"a document", {Section::kFields, Section::kFieldBlocks}, [](const auto& index) { return stored_of(index, 3); }},
      {"some texts", {Section::kText, Section::kTextBlocks}, last_texts_of},
      {"documents by id",
       {Section::kIdOrder},
       [](const auto& index) { return joined(index.find_documents(index.document_id(19))); }},
      {"dropped documents", {}, [](const auto& index) { return joined(index.dropped_documents()); }},
      {"entries", lists, entries_of},
      {"positions", {Section::kPositions}, entries_of},
      {"documents", documents, run_documents_of},
      {"texts", {Section::kText, Section::kTextBlocks}, texts_of},
      {"the verdict", {Section::kIdOrder, Section::kDropped}, [](const auto& index) {
         verify_index(index);
         return std::string("good");
       }}};
}

class TruncatedIndex : public ::testing::TestWithParam<std::size_t> {
 protected:
  static void SetUpTestSuite() {
    scratch_ = std::make_unique<ScratchDirectory>();
    SampleIndex made = sample();
    write_sample(posix_file_system(), *scratch_ / "index", made);
  }
  static void TearDownTestSuite() { scratch_.reset(); }

  static std::string path_of(Section section) { return *scratch_ / "index/" + std::string(section_name(section)); }

  // Truncates a file of an open index and reads.
  struct Outcome {
    std::optional<std::string> answer;
    std::string message;
  };
  static Outcome read(const Reading& reading, Section section, std::size_t size, bool was_read_before) {
    const std::string path = path_of(section), bytes = read_bytes(path);
    const IndexReader index(posix_file_system(), *scratch_ / "index");
    if (was_read_before) reading.read(index);
    std::filesystem::resize_file(path, size);
    Outcome outcome;
    try {
      outcome.answer = reading.read(index);
    } catch (const FormatError& error) {
      outcome.message = error.what();
    }
    write_bytes(path, bytes);
    return outcome;
  }

  static inline std::unique_ptr<ScratchDirectory> scratch_;
};

std::vector<std::size_t> sizes_of(std::size_t bytes) {
  std::vector<std::size_t> sizes{0, 64, bytes / 2, bytes - 33, bytes - 1};
  if (bytes > 4096) sizes.insert(sizes.end(), {4096, bytes / 4096 * 4096});
  return sizes;
}

TEST_P(TruncatedIndex, IsReadRightlyOrRefused) {
  const Reading reading = all_readings()[GetParam()];
  const std::string expected = reading.read(IndexReader(posix_file_system(), *scratch_ / "index"));
  ASSERT_FALSE(expected.empty());
  for (std::size_t i = 0; i < kSectionCount; ++i) {
    const auto section = static_cast<Section>(i + 1);
    SCOPED_TRACE(section_name(section));
    const bool is_needed = std::count(reading.sections.begin(), reading.sections.end(), section) != 0;
    for (const std::size_t size : sizes_of(std::filesystem::file_size(path_of(section)))) {
      for (const bool was_read_before : {false, true}) {
        const Outcome outcome = read(reading, section, size, was_read_before);
        if (outcome.answer) {
          EXPECT_EQ(*outcome.answer, expected) << size;
        } else {
          EXPECT_NE(outcome.message.find(path_of(section) + " at byte "), std::string::npos) << outcome.message;
        }
        EXPECT_TRUE(!is_needed || size != 0 || !outcome.answer) << "it answered without the bytes";
      }
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<std::size_t>& tested) {
  std::string name = all_readings()[tested.param].name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Of, TruncatedIndex, ::testing::Range(std::size_t{0}, all_readings().size()), name_of);

TEST(TruncatedIndexDuringVerify, IsBad) {
  ScratchDirectory scratch;
  SampleIndex made = sample();
  write_sample(posix_file_system(), scratch / "index", made);
  const IndexReader index(posix_file_system(), scratch / "index");
  std::uint64_t all = 0, calls = 0;
  for (const auto& file : index.files()) all += file.bytes;
  EXPECT_THROW(verify_index(index,
                            [&](std::uint64_t done) {
                              if (++calls > 1 && done > all / 2)
                                std::filesystem::resize_file(scratch / "index/terms", 0);
                            }),
               FormatError);
}

}  // namespace
}  // namespace spillway
