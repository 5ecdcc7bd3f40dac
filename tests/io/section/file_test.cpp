#include "io/section/layout.hpp"
#include "io/section/reader.hpp"
#include "io/section/writer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/memory/budget.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::read_bytes;
using testing::ScratchDirectory;
using testing::section_data;
using testing::write_bytes;

std::string random_bytes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

SectionStats write_section(const std::string& directory, const std::string& data, std::size_t most_append,
                           std::size_t buffer_bytes = kPageBytes, std::size_t table_bytes = 16384,
                           std::size_t behind_from = ~std::size_t{0}, std::size_t behind_to = ~std::size_t{0},
                           bool is_owned = false,
                           SectionWriter::BehindThreads threads = SectionWriter::BehindThreads::kOne) {
  SectionWriter writer(posix_file_system(), directory, Section::kPostings, buffer_bytes, table_bytes);
  std::mt19937_64 random(9);
  bool is_behind = false;
  for (std::size_t at = 0; at < data.size();) {
    const std::size_t count = std::min(data.size() - at, 1 + random() % most_append);
    EXPECT_EQ(writer.size(), at);
    if (!is_behind && at >= behind_from && at < behind_to) {
      writer.start_behind(SectionWriter::kUsualWaiting, threads);
      is_behind = true;
    }
    if (is_behind && at >= behind_to) {
      writer.end_behind();
      is_behind = false;
    }
    const std::span<const std::uint8_t> bytes{reinterpret_cast<const std::uint8_t*>(data.data()) + at, count};
    if (is_owned) {
      const auto owner = std::make_shared<const std::vector<std::uint8_t>>(bytes.begin(), bytes.end());
      writer.append(*owner, owner);
    } else {
      writer.append(bytes);
    }
    at += count;
  }
  const SectionStats stats = writer.finish();
  EXPECT_EQ(writer.bytes_written(), stats.file_bytes);
  return stats;
}

TEST(SectionFile, ReadsBackWhatWasAppendedInAnyFragments) {
  for (const std::size_t size : {0u, 1u, 65535u, 65536u, 65537u, 400000u}) {
    const std::string data = random_bytes(size, size);
    std::string bytes;
    for (const std::size_t most_append : {std::size_t{50}, std::size_t{5000}, std::size_t{300000}}) {
      for (const std::size_t buffer : {kPageBytes, 4 * kPageBytes}) {
        ScratchDirectory scratch;
        const SectionStats stats = write_section(scratch.path(), data, most_append, buffer);
        const SectionReader reader(posix_file_system(), scratch.path(), Section::kPostings, stats);
        ASSERT_EQ(reader.size(), size);
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(reader.at(0, size)), size), data);
        EXPECT_EQ(section_data(scratch.path(), Section::kPostings), data);
        const std::string found = read_bytes(scratch / "postings");
        EXPECT_EQ(found.size(), stats.file_bytes);
        if (bytes.empty()) bytes = found;
        EXPECT_EQ(found, bytes);
        EXPECT_NO_THROW(reader.check_all([](std::uint64_t) {}));
      }
    }
  }
}

TEST(SectionFile, GivesTheSameBytesWherePageCrcsHadToWaitInAFile) {
  const std::string data = random_bytes(2000000, 1);
  ScratchDirectory with, without;
  const SectionStats expected = write_section(without.path(), data, 100000);
  EXPECT_EQ(write_section(with.path(), data, 100000, kPageBytes, 12), expected);
  EXPECT_EQ(read_bytes(with / "postings"), read_bytes(without / "postings"));
  EXPECT_EQ(posix_file_system().list(with.path()), std::vector<std::string>{"postings"});
}

TEST(SectionFile, GivesTheSameBytesWhereTheyAreWrittenBehind) {
  const std::string data = random_bytes(6000000, 2);
  ScratchDirectory without;
  const SectionStats expected = write_section(without.path(), data, 100000);
  const std::size_t end = data.size();
  for (const auto& [from, to] : {std::pair{std::size_t{0}, end}, {end / 3, end}, {0, end / 2}, {end / 3, end / 2}}) {
    for (const std::size_t table_bytes : {12, 16384}) {
      for (const bool is_owned : {false, true}) {
        for (const auto threads : {SectionWriter::BehindThreads::kOne, SectionWriter::BehindThreads::kTwo}) {
          ScratchDirectory with;
          EXPECT_EQ(write_section(with.path(), data, 300000, kPageBytes, table_bytes, from, to, is_owned, threads),
                    expected);
          EXPECT_EQ(read_bytes(with / "postings"), read_bytes(without / "postings"));
        }
      }
    }
  }
}

void expect_what_writing_met(SectionWriter::BehindThreads threads) {
  const std::vector<std::uint8_t> bytes(100000);
  for (std::uint64_t at = 0;; at += 7) {
    testing::FaultyFileSystem files;
    SectionWriter writer(files, "/job", Section::kPostings, kPageBytes);
    writer.start_behind(SectionWriter::kUsualWaiting, threads);
    files.inject({.kind = testing::FaultKind::kNoSpace, .at = at});
    const auto write = [&] {
      for (int i = 0; i < 30; ++i) writer.append(bytes);
      writer.finish();
    };
    if (at > 48) {
      EXPECT_NO_THROW(write());
      EXPECT_EQ(files.faults_fired(), 0U) << "3,000,000 bytes take 46 pages, a table and a footer";
      break;
    }
    EXPECT_THROW(write(), IoError) << at;
  }
}

// Each thread has a file of its own then: one of the two meets the fault while the other goes on.
TEST(SectionFile, ThrowsWhatTheThreadOfTheSumsMet) {
  const std::vector<std::uint8_t> bytes(100000);
  bool fires = true;
  for (std::uint64_t at = 0; fires; at += 3) {
    testing::FaultyFileSystem files;
    SectionWriter writer(files, "/job", Section::kPostings, kPageBytes, 12);
    writer.start_behind(SectionWriter::kUsualWaiting, SectionWriter::BehindThreads::kTwo);
    files.inject({.kind = testing::FaultKind::kNoSpace, .at = at});
    const auto write = [&] {
      for (int i = 0; i < 30; ++i) writer.append(bytes);
      writer.finish();
    };
    bool throws = false;
    try {
      write();
    } catch (const IoError&) {
      throws = true;
    }
    fires = files.faults_fired() != 0;
    EXPECT_EQ(throws, fires) << at;
    EXPECT_TRUE(fires || at > 48) << at;
  }
}

TEST(SectionFile, ThrowsWhatWritingBehindMet) {
  expect_what_writing_met(SectionWriter::BehindThreads::kOne);
  expect_what_writing_met(SectionWriter::BehindThreads::kTwo);
}

TEST(SectionFile, RefusesRangesBehindItsData) {
  ScratchDirectory scratch;
  const SectionStats stats = write_section(scratch.path(), random_bytes(1000, 1), 100);
  const SectionReader reader(posix_file_system(), scratch.path(), Section::kPostings, stats);
  EXPECT_NO_THROW(reader.at(1000, 0));
  EXPECT_THROW(reader.at(1000, 1), FormatError);
  EXPECT_THROW(reader.at(1001, 0), FormatError);
  EXPECT_THROW(reader.at(999, 2), FormatError);
  EXPECT_THROW(reader.at(~std::uint64_t{0}, 2), FormatError);
  EXPECT_THROW(reader.at(2, ~std::uint64_t{0}), FormatError);
}

TEST(SectionFile, RefusesAFileOfAnotherSection) {
  ScratchDirectory scratch;
  const SectionStats stats = write_section(scratch.path(), "text", 100);
  posix_file_system().rename(scratch / "postings", scratch / "bounds");
  EXPECT_THROW(SectionReader(posix_file_system(), scratch.path(), Section::kBounds, stats), FormatError);
}

TEST(SectionFile, ChecksOnlyThePagesThatAreRead) {
  ScratchDirectory scratch;
  const std::string data = random_bytes(3 * kPageBytes, 1);
  const SectionStats stats = write_section(scratch.path(), data, 100000);
  std::string bytes = read_bytes(scratch / "postings");
  bytes[kSectionHeaderBytes + kPageBytes + 5] ^= 1;
  write_bytes(scratch / "postings", bytes);
  const SectionReader reader(posix_file_system(), scratch.path(), Section::kPostings, stats);
  EXPECT_NO_THROW(reader.at(0, kPageBytes));
  EXPECT_NO_THROW(reader.at(2 * kPageBytes, kPageBytes));
  EXPECT_THROW(reader.at(kPageBytes - 1, 2), FormatError);
  EXPECT_THROW(reader.at(kPageBytes - 1, 2), FormatError);
  EXPECT_THROW(reader.check_all([](std::uint64_t) {}), FormatError);
}

// Bytes past the end of a file read as zeros up to the end of its last page, so a reader of a small file gets no
// signal.
TEST(SectionFile, IsNoLongerWholeWhenBytesOfItAreCutOff) {
  ScratchDirectory scratch;
  for (const std::size_t size : {std::size_t{500}, 3 * kPageBytes}) {
    const std::string data = random_bytes(size, 1);
    const std::size_t file_bytes = kSectionHeaderBytes + size + (size + kPageBytes - 1) / kPageBytes * 4 + 32;
    for (std::size_t left = 0; left < file_bytes; left += left < 300 || left + 300 > file_bytes ? 1 : 3001) {
      std::filesystem::remove(scratch / "postings");
      const SectionStats stats = write_section(scratch.path(), data, size);
      const SectionReader reader(posix_file_system(), scratch.path(), Section::kPostings, stats);
      const std::uint8_t* const bytes = reader.at(0, left % 2 == 0 ? size : 1);
      reader.check_whole();
      std::filesystem::resize_file(scratch / "postings", left);
      if (std::memcmp(bytes, data.data(), size) == 0) continue;
      try {
        reader.check_whole();
        FAIL() << left << " of " << file_bytes << " bytes are left";
      } catch (const FormatError& error) {
        EXPECT_NE(std::string(error.what()).find("postings at byte " + std::to_string(left)), std::string::npos);
      }
      EXPECT_THROW(reader.fail(0, "something", "something else"), FormatError);
    }
  }
}

TEST(SectionFile, SaysThatItWasCutRatherThanThatAPageIsWrong) {
  ScratchDirectory scratch;
  const SectionStats stats = write_section(scratch.path(), random_bytes(3 * kPageBytes, 1), 100000);
  const SectionReader reader(posix_file_system(), scratch.path(), Section::kPostings, stats);
  std::filesystem::resize_file(scratch / "postings", kPageBytes);
  const auto message_of = [](const auto& call) {
    try {
      call();
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  for (const std::string& message :
       {message_of([&] { reader.at(kPageBytes, 1); }), message_of([&] { reader.check_all([](std::uint64_t) {}); })}) {
    EXPECT_NE(message.find("truncated while it was read"), std::string::npos) << message;
  }
}

TEST(SectionFile, IsReadByManyThreadsAtOnce) {
  ScratchDirectory scratch;
  const std::string data = random_bytes(40 * kPageBytes, 1);
  const SectionStats stats = write_section(scratch.path(), data, 100000);
  const SectionReader reader(posix_file_system(), scratch.path(), Section::kPostings, stats);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(t);
      for (int i = 0; i < 500; ++i) {
        const std::size_t at = random() % (data.size() - 1000);
        if (std::memcmp(reader.at(at, 1000), data.data() + at, 1000) != 0) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(SectionFile, KeepsFewPagesInMemory) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer keeps memory for each page that was read";
#endif
  constexpr std::size_t kSize = std::size_t{48} << 20, kResidentBytes = 2 * kPageBytes;
  const std::string data = random_bytes(kSize, 3);
  ScratchDirectory scratch;
  const SectionStats stats = write_section(scratch.path(), data, 300000);
  const SectionReader reader(posix_file_system(), scratch.path(), Section::kPostings, stats, kResidentBytes);
  const std::size_t before = resident_bytes();
  std::size_t most = 0;
  for (std::size_t at = 0; at + 1000 <= kSize; at += 1000) {
    ASSERT_EQ(std::memcmp(reader.at(at, 1000), data.data() + at, 1000), 0) << at;
    if (at % 500000 == 0) most = std::max(most, resident_bytes());
  }
  EXPECT_LT(most, before + (std::size_t{4} << 20));
  const std::uint8_t* const begin = reader.at(0, 100);
  reader.at(kSize - 100, 100);
  reader.release();
  EXPECT_EQ(std::memcmp(begin, data.data(), 100), 0) << "views stay valid";
}

TEST(SectionFile, ReadsTheSameWithFewPagesFromManyThreads) {
  const std::string data = random_bytes(std::size_t{4} << 20, 4);
  ScratchDirectory scratch;
  const SectionStats stats = write_section(scratch.path(), data, 300000);
  const SectionReader reader(posix_file_system(), scratch.path(), Section::kPostings, stats, kPageBytes);
  std::atomic<int> wrong{0};
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(t);
      for (int i = 0; i < 3000; ++i) {
        const std::size_t at = random() % (data.size() - 200);
        wrong += std::memcmp(reader.at(at, 200), data.data() + at, 200) != 0 ? 1 : 0;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace spillway
