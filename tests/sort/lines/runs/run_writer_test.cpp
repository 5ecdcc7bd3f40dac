#include "sort/lines/runs/run_writer.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

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
