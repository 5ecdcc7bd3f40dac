// Damaged, swapped and forged indexes: each gives a FormatError, never a crash and never a wrong answer.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/format/index_types.hpp"
#include "io/index/manifest.hpp"
#include "io/index/reader.hpp"
#include "io/index/verify.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/sample_index.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::forge_section;
using testing::make_sample;
using testing::read_bytes;
using testing::read_everything;
using testing::SampleIndex;
using testing::ScratchDirectory;
using testing::section_data;
using testing::write_bytes;
using testing::write_sample;

void open_and_verify(const std::string& directory) { verify_index(IndexReader(posix_file_system(), directory)); }

// Few bytes, but lists of 1, 128 and more than 128 postings, positions, text and dropped documents.
SampleIndex small_sample() {
  SampleIndex sample = make_sample(135, 0, 7);
  sample.options.positions = true;
  sample.options.store = StorePolicy::kText;
  for (std::uint32_t d = 0; d < 135; ++d) {
    sample.lists["all"].emplace_back(d, 1);
    if (d < 128) sample.lists["block"].emplace_back(d, d % 5 == 0 ? 2 : 1);
    if (d >= 6) sample.documents[d] = {};
  }
  sample.lists["few"] = {{0, 1}, {5, 300}, {130, 2}};
  sample.lists["single"] = {{17, 3}};
  return sample;
}

std::vector<std::string> all_files(const std::string& directory) {
  std::vector<std::string> files = posix_file_system().list(directory);
  for (std::string& file : files) file.insert(0, directory + "/");
  return files;
}

TEST(IndexVerify, AcceptsWhatTheWriterWrites) {
  for (const std::uint32_t documents : {0u, 1u, 64u, 2000u}) {
    for (const bool positions : {false, true}) {
      ScratchDirectory scratch;
      SampleIndex sample = make_sample(documents, documents / 4 + 1, documents + 50);
      sample.options.positions = positions;
      write_sample(posix_file_system(), scratch / "index", sample);
      const IndexReader index(posix_file_system(), scratch / "index");
      std::uint64_t last = 0, bytes = 0;
      verify_index(index, [&](std::uint64_t done) {
        EXPECT_GE(done, last);
        last = done;
      });
      for (const auto& file : index.files()) bytes += file.bytes;
      EXPECT_EQ(last, bytes);
    }
  }
}

TEST(IndexVerify, NoticesEveryFlippedByte) {
  ScratchDirectory scratch;
  SampleIndex sample = small_sample();
  write_sample(posix_file_system(), scratch / "index", sample);
  open_and_verify(scratch / "index");
  std::mt19937_64 random(1);
  for (const std::string& file : all_files(scratch / "index")) {
    const std::string bytes = read_bytes(file);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
      write_bytes(file, damaged);
      ASSERT_THROW(open_and_verify(scratch / "index"), FormatError) << file << " at " << at;
    }
    write_bytes(file, bytes);
  }
  open_and_verify(scratch / "index");
}

TEST(IndexVerify, NeverReadsSomethingElseFromAFlippedByte) {
  ScratchDirectory scratch;
  SampleIndex sample = small_sample();
  write_sample(posix_file_system(), scratch / "index", sample);
  const std::string expected = read_everything(IndexReader(posix_file_system(), scratch / "index"));
  std::mt19937_64 random(2);
  int noticed = 0;
  for (const std::string& file : all_files(scratch / "index")) {
    const std::string bytes = read_bytes(file);
    for (std::size_t at = random() % 4; at < bytes.size(); at += 1 + random() % 7) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
      write_bytes(file, damaged);
      try {
        ASSERT_EQ(read_everything(IndexReader(posix_file_system(), scratch / "index")), expected) << file << " " << at;
      } catch (const FormatError&) {
        ++noticed;
      }
    }
    write_bytes(file, bytes);
  }
  EXPECT_GT(noticed, 100);
}

TEST(IndexVerify, NoticesEveryTruncationAndAppendedBytes) {
  ScratchDirectory scratch;
  SampleIndex sample = small_sample();
  write_sample(posix_file_system(), scratch / "index", sample);
  for (const std::string& file : all_files(scratch / "index")) {
    const std::string bytes = read_bytes(file);
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 16) {
      write_bytes(file, bytes.substr(0, size));
      ASSERT_THROW(IndexReader(posix_file_system(), scratch / "index"), FormatError) << file << " cut to " << size;
    }
    write_bytes(file, bytes.substr(0, bytes.size() - 1));
    ASSERT_THROW(IndexReader(posix_file_system(), scratch / "index"), FormatError) << file;
    write_bytes(file, bytes + "x");
    ASSERT_THROW(IndexReader(posix_file_system(), scratch / "index"), FormatError) << file;
    std::filesystem::remove(file);
    ASSERT_THROW(IndexReader(posix_file_system(), scratch / "index"), FormatError) << file << " removed";
    write_bytes(file, bytes);
  }
  open_and_verify(scratch / "index");
}

TEST(IndexVerify, NoticesAFileOfAnotherIndexOfTheSameSize) {
  ScratchDirectory scratch;
  SampleIndex sample = small_sample(), other = small_sample();
  for (auto& [document, frequency] : other.lists["block"]) frequency = 3 - frequency;
  other.documents[0].title = std::string(sample.documents[0].title.size(), 'x');
  write_sample(posix_file_system(), scratch / "index", sample);
  write_sample(posix_file_system(), scratch / "other", other);
  int swapped = 0;
  for (const std::string_view name : kSectionNames) {
    const std::string file = scratch / "index" + "/" + std::string(name);
    const std::string bytes = read_bytes(file), foreign = read_bytes(scratch / "other" + "/" + std::string(name));
    if (bytes == foreign || bytes.size() != foreign.size()) continue;
    ++swapped;
    write_bytes(file, foreign);
    EXPECT_THROW(IndexReader(posix_file_system(), scratch / "index"), FormatError) << name;
    write_bytes(file, bytes);
  }
  EXPECT_GE(swapped, 2);
}

TEST(IndexVerify, NoticesPagesThatTradedPlacesOrCameFromElsewhere) {
  ScratchDirectory scratch;
  SampleIndex sample = make_sample(40000, 3, 5), other = make_sample(40000, 3, 6);
  write_sample(posix_file_system(), scratch / "index", sample);
  write_sample(posix_file_system(), scratch / "other", other);
  const std::string file = scratch / "index" + "/lengths", bytes = read_bytes(file);
  const std::string foreign = read_bytes(scratch / "other" + "/lengths");
  ASSERT_NE(bytes.substr(64, 65536), bytes.substr(64 + 65536, 65536));
  write_bytes(file, bytes.substr(0, 64) + bytes.substr(64 + 65536, 65536) + bytes.substr(64, 65536) +
                        bytes.substr(64 + 2 * 65536));
  EXPECT_THROW(IndexReader(posix_file_system(), scratch / "index").document_length(0), FormatError);
  ASSERT_NE(bytes.substr(64, 65536), foreign.substr(64, 65536));
  write_bytes(file, bytes.substr(0, 64) + foreign.substr(64, 65536) + bytes.substr(64 + 65536));
  EXPECT_THROW(IndexReader(posix_file_system(), scratch / "index").document_length(0), FormatError);
  EXPECT_THROW(IndexReader(posix_file_system(), scratch / "index").document_lengths(), FormatError);
  EXPECT_NO_THROW(IndexReader(posix_file_system(), scratch / "index").document_length(20000));
}

// CRCs and hashes fit: only the meaning of the bytes is wrong.
class ForgedSection : public ::testing::TestWithParam<Section> {};

bool is_accepted(const std::string& directory) {
  try {
    open_and_verify(directory);
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

// The counts and lists of read_everything(), a line each.
std::string lists_in(const std::string& everything, std::uint64_t terms) {
  std::size_t end = 0;
  for (std::uint64_t line = 0; line <= terms; ++line) end = everything.find('\n', end) + 1;
  return everything.substr(0, end);
}

// Readers may refuse what verification refuses, but crash on nothing.
void read_or_refuse(const std::string& directory) {
  try {
    EXPECT_FALSE(read_everything(IndexReader(posix_file_system(), directory)).empty());
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find(directory), std::string::npos) << "the file is not named";
  }
}

TEST_P(ForgedSection, IsNoticedOrHarmless) {
  // Nothing else in an index repeats the contents of documents.
  const bool free_content =
      GetParam() == Section::kIds || GetParam() == Section::kFields || GetParam() == Section::kText;
  std::size_t accepted = 0;
  ScratchDirectory scratch;
  SampleIndex sample = small_sample();
  write_sample(posix_file_system(), scratch / "index", sample);
  const std::string directory = scratch / "index", data = section_data(directory, GetParam());
  const std::string lists = lists_in(read_everything(IndexReader(posix_file_system(), directory)), sample.lists.size());
  std::mt19937_64 random(3);
  for (int round = 0; round < 2; ++round) {
    for (std::size_t at = 0; at < data.size(); ++at) {
      std::string forged = data;
      const std::uint8_t change = round == 0 ? 0xFF : static_cast<std::uint8_t>(1 + random() % 255);
      forged[at] = static_cast<char>(static_cast<std::uint8_t>(forged[at]) ^ change);
      forge_section(directory, GetParam(), forged);
      SCOPED_TRACE(std::string(section_name(GetParam())) + " at " + std::to_string(at));
      if (!is_accepted(directory)) {
        read_or_refuse(directory);
        continue;
      }
      ++accepted;
      ASSERT_TRUE(free_content) << "verification accepts a change by " << int{change};
      const std::string everything = read_everything(IndexReader(posix_file_system(), directory));
      ASSERT_EQ(lists_in(everything, sample.lists.size()), lists);
    }
  }
  EXPECT_EQ(accepted > 0, free_content);
  for (std::size_t size = 0; size < data.size(); size += 1 + size / 8) {
    forge_section(directory, GetParam(), data.substr(0, size));
    ASSERT_THROW(open_and_verify(directory), FormatError) << size;
    forge_section(directory, GetParam(), data + data.substr(0, size + 1));
    ASSERT_THROW(open_and_verify(directory), FormatError) << size;
  }
  forge_section(directory, GetParam(), data);
  open_and_verify(directory);
}

INSTANTIATE_TEST_SUITE_P(IndexVerify, ForgedSection,
                         ::testing::Values(Section::kTerms, Section::kPostings, Section::kBounds, Section::kPositions,
                                           Section::kLengths, Section::kDocuments, Section::kDocumentGroups,
                                           Section::kIds, Section::kIdOrder, Section::kFields, Section::kFieldBlocks,
                                           Section::kText, Section::kTextBlocks, Section::kDropped),
                         [](const auto& test) { return std::string(section_name(test.param)); });

TEST(IndexVerify, NoticesAForgedCount) {
  ScratchDirectory scratch;
  SampleIndex sample = small_sample();
  write_sample(posix_file_system(), scratch / "index", sample);
  const std::string path = scratch / "index" + "/manifest", bytes = read_bytes(path);
  const Manifest manifest = Manifest::parse(bytes, path);
  const auto expect_noticed = [&](auto change) {
    Manifest forged = manifest;
    change(forged.counts);
    write_bytes(path, forged.serialize());
    EXPECT_THROW(open_and_verify(scratch / "index"), FormatError);
  };
  expect_noticed([](IndexCounts& counts) { --counts.documents; });
  expect_noticed([](IndexCounts& counts) { ++counts.documents; });
  expect_noticed([](IndexCounts& counts) { ++counts.source_documents; });
  expect_noticed([](IndexCounts& counts) { --counts.stored_ids; });
  expect_noticed([](IndexCounts& counts) { ++counts.terms; });
  expect_noticed([](IndexCounts& counts) { ++counts.postings; });
  expect_noticed([](IndexCounts& counts) { ++counts.occurrences; });
  expect_noticed([](IndexCounts& counts) { ++counts.source_sum.lanes[1]; });
  expect_noticed([](IndexCounts& counts) { ++counts.source_sum.positions; });
  expect_noticed([](IndexCounts& counts) { ++counts.dropped_sum.positions; });
  expect_noticed([](IndexCounts& counts) { ++counts.dropped_sum.lanes[0]; });
  expect_noticed([](IndexCounts& counts) { counts.documents = ~std::uint64_t{0}; });
  write_bytes(path, bytes);
  open_and_verify(scratch / "index");
}

// Nothing else contradicts it: lists of one document have no postings.
TEST(IndexVerify, RefusesAListInAnotherPart) {
  constexpr std::size_t kPartAt = kNodeHeaderBytes + kLeafHeaderBytes - 1;
  ScratchDirectory scratch;
  SampleIndex sample;
  sample.documents.resize(3);
  for (std::uint32_t d = 0; d < 3; ++d) sample.lists["term" + std::to_string(d)].emplace_back(d, 2);
  write_sample(posix_file_system(), scratch / "index", sample);
  const std::string directory = scratch / "index", data = section_data(directory, Section::kTerms);
  ASSERT_EQ(data[kPartAt], 0);
  EXPECT_NO_THROW(open_and_verify(directory));
  for (char part = 1; part < 6; ++part) {
    std::string forged = data;
    forged[kPartAt] = part;
    forge_section(directory, Section::kTerms, forged);
    EXPECT_THROW(open_and_verify(directory), FormatError) << int{part};
  }
}

TEST(IndexVerify, RefusesAnotherVersionByName) {
  ScratchDirectory scratch;
  SampleIndex sample = small_sample();
  write_sample(posix_file_system(), scratch / "index", sample);
  const std::string path = scratch / "index" + "/manifest";
  const std::string bytes = read_bytes(path);
  const auto open_with = [&](std::size_t at, char value) {
    std::string changed = bytes.substr(0, bytes.size() - 16);
    changed[at] = value;
    const Hash128 hash = hash128({reinterpret_cast<const std::uint8_t*>(changed.data()), changed.size()});
    changed.append(hash.begin(), hash.end());
    write_bytes(path, changed);
    IndexReader(posix_file_system(), scratch / "index");
  };
  EXPECT_THROW(open_with(8, kIndexMajor + 1), FormatError);  // major
  EXPECT_THROW(open_with(8, kIndexMajor - 1), FormatError);
  EXPECT_NO_THROW(open_with(10, 9));            // minor
  EXPECT_THROW(open_with(12, 1), FormatError);  // an incompatible feature
  EXPECT_NO_THROW(open_with(16, 1));            // a compatible one
}

}  // namespace
}  // namespace spillway
