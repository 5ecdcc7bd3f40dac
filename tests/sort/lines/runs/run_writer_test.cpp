#include "sort/lines/runs/run_writer.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

// A merge unfolds whole blocks of runs in memory.
TEST(RunWriter, PutsFewLongLinesIntoABlockWhateverTheyShare) {
  constexpr std::size_t kBlockBytes = 8192, kLongLine = 5000;
  const testing::ScratchDirectory scratch;
  std::ofstream text(scratch / "in", std::ios::binary);
  for (int i = 0; i < 20'000; ++i) text << "a\n";
  for (int i = 0; i < 300; ++i) text << std::string(kLongLine, 'b') << '\n';
  text.close();
  const LineOrder order;
  const KeyEncoder encoder(order);
  MemoryBudget budget(std::size_t{8} << 20);
  LineBlock block(budget, std::size_t{8} << 20, order, encoder, nullptr);
  LineInput input(posix_file_system(), {scratch / "in"}, '\n', {});
  ASSERT_TRUE(block.fill(input));
  block.arrange();
  RunSpace space({scratch.path()}, 0);
  const spillway::Run run = write_run(block, order, encoder, space, kBlockBytes, {});
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
