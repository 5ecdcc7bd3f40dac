#include "sort/lines/runs/run_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

class RunOfLines : public ::testing::Test {
 protected:
  spillway::Run write(const std::string& text, std::size_t block_bytes) {
    std::ofstream(scratch_ / "in", std::ios::binary) << text;
    MemoryBudget budget(std::size_t{8} << 20);
    LineBlock block(budget, std::size_t{8} << 20, order_, encoder_, nullptr);
    LineInput input(posix_file_system(), {scratch_ / "in"}, '\n', {});
    if (!block.fill(input)) throw std::runtime_error("no lines");
    block.arrange();
    return write_run(block, order_, encoder_, space_, block_bytes, encoding_memory(2, std::size_t{64} << 20), {});
  }
  // The scratch file, which has no name.
  std::string scratch_file() const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code error;
      const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
      if (target.starts_with(scratch_.path()) && target.ends_with(" (deleted)")) return entry.path().string();
    }
    throw std::runtime_error("no scratch file");
  }
  const testing::ScratchDirectory scratch_;
  const LineOrder order_;
  const KeyEncoder encoder_{order_};
  RunSpace space_{{scratch_.path()}, 0};
};

// Encodes the same sorted lines again and again, on a thread that has encoded nothing before.
class RunOfEqualBlocks : public ::testing::Test {
 protected:
  void encode(std::vector<std::string> lines, int blocks) {
    std::ranges::sort(lines);
    run_.file = &space_.next_file();
    std::jthread([&] {
      BlockEncoder encoder(order_);
      for (int block = 0; block != blocks; ++block) {
        std::string_view last;
        for (const std::string& line : lines) {
          encoder.add({line, 0}, shared_bytes(last, line));
          last = line;
        }
        append_block(run_, encoder.finish());
      }
    }).join();
    RunCursor cursor(run_, order_);
    cursor.seek(0, run_.records);
    for (std::size_t i = 0; cursor.next(); ++i) ASSERT_EQ(cursor.record().bytes, lines[i % lines.size()]) << i;
  }
  double share() const { return static_cast<double>(run_.stored_bytes) / static_cast<double>(run_.record_bytes); }
  auto unpacked() const {
    return std::ranges::count_if(run_.blocks, [](const RunBlock& at) { return at.stored_bytes == at.raw_bytes; });
  }
  std::set<std::uint32_t> sizes() const {
    std::set<std::uint32_t> sizes;
    for (const RunBlock& block : run_.blocks) sizes.insert(block.stored_bytes);
    return sizes;
  }
  const testing::ScratchDirectory scratch_;
  const RecordOrder order_{LineOrder{}};
  RunSpace space_{{scratch_.path()}, 0};
  spillway::Run run_;
  std::mt19937 random_{17};
};

TEST_F(RunOfEqualBlocks, StayAsTheyAreWhileItStaysSmall) {
  std::vector<std::string> lines(4096, std::string(16, 'A'));
  for (std::string& line : lines) {
    for (char& letter : line) letter = "ACGT"[random_() % 4];
  }
  encode(lines, 40);
  EXPECT_LT(share(), 0.3);
  EXPECT_GT(unpacked(), 0);
  EXPECT_LT(unpacked(), 20);
  EXPECT_EQ(sizes().size(), 2u);  // as they are, and fast
}

TEST_F(RunOfEqualBlocks, ArePackedWellWhereFastPackingIsNotEnough) {
  std::vector<std::string> words(600, std::string(14, 'a'));
  for (std::string& word : words) {
    for (char& letter : word) letter = static_cast<char>('a' + random_() % 26);
  }
  std::vector<std::string> lines(2048);
  for (std::string& line : lines) {
    for (int i = 0; i != 4; ++i) line += words[random_() % words.size()];
  }
  encode(lines, 40);
  EXPECT_LT(share(), 0.3);
  EXPECT_EQ(unpacked(), 0);
  EXPECT_EQ(sizes().size(), 2u);  // fast and strong
}

// Whatever bit of a block changes on disk, none of its lines is given out.
TEST_F(RunOfLines, IsRefusedIfABitOfItChanges) {
  std::string text;
  for (int i = 10'000; i < 10'400; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  const spillway::Run run = write(text, 2000);
  const std::string path = scratch_file();
  for (std::uint64_t bit = 0; bit < run.stored_bytes * 8; ++bit) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto flip = [&] {
      file.seekg(static_cast<std::streamoff>(bit / 8));
      const int byte = file.get() ^ (1 << bit % 8);
      file.seekp(static_cast<std::streamoff>(bit / 8));
      file.put(static_cast<char>(byte)).flush();
    };
    flip();
    RunCursor cursor(run, RecordOrder(order_));
    const auto read_all = [&] {
      for (cursor.seek(0, run.records); cursor.next();) {
      }
    };
    try {
      read_all();
      FAIL() << "bit " << bit;
    } catch (const FormatError& error) {
      ASSERT_NE(std::string(error.what()).find(scratch_.path()), std::string::npos) << error.what();
    }
    flip();
    ASSERT_NO_THROW(read_all()) << bit;
  }
}

// A merge unfolds whole blocks of runs in memory.
TEST_F(RunOfLines, HasFewLongLinesInABlockWhateverTheyShare) {
  constexpr std::size_t kBlockBytes = 8192, kLongLine = 5000;
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "a\n";
  for (int i = 0; i < 300; ++i) text += std::string(kLongLine, 'b') + "\n";
  const spillway::Run run = write(text, kBlockBytes);
  EXPECT_EQ(run.records, 20'300u);
  EXPECT_LE(run.longest_raw, 2 * kBlockBytes + kLongLine);
  for (BlockWalk walk(run); !walk.is_at_end(); walk.next()) {
    if (walk.first().starts_with('b')) {
      EXPECT_LE(run.blocks[walk.block()].records, 2 * kBlockBytes / kLongLine + 1);
    }
  }
}

}  // namespace
}  // namespace spillway
