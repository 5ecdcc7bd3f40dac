#include "sort/lines/runs/run_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
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
TEST(RunOfEqualBlocks, IsCompressedFasterWhereItStaysSmall) {
  const testing::ScratchDirectory scratch;
  const LineOrder order;
  const RecordOrder record_order(order);
  std::mt19937 random(17);
  std::vector<std::string> lines(4096, std::string(16, 'A'));
  for (std::string& line : lines) {
    for (char& letter : line) letter = "ACGT"[random() % 4];
  }
  std::ranges::sort(lines);
  RunSpace space({scratch.path()}, 0);
  spillway::Run run;
  run.file = &space.next_file();
  constexpr int kBlocks = 10;
  std::jthread([&] {
    BlockEncoder encoder(record_order);
    for (int block = 0; block != kBlocks; ++block) {
      std::string_view last;
      for (const std::string& line : lines) {
        encoder.add({line, 0}, shared_bytes(last, line));
        last = line;
      }
      append_block(run, encoder.finish());
    }
  }).join();
  const RunBlock &first = run.blocks.front(), &last = run.blocks.back();
  EXPECT_LT(last.stored_bytes, first.record_bytes * 3 / 10);
  EXPECT_NE(last.stored_bytes, first.stored_bytes);                    // another level
  EXPECT_EQ(last.stored_bytes, run.blocks[kBlocks - 2].stored_bytes);  // the fastest
  RunCursor cursor(run, record_order);
  cursor.seek(0, run.records);
  for (std::size_t i = 0; cursor.next(); ++i) ASSERT_EQ(cursor.record().bytes, lines[i % lines.size()]) << i;
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
