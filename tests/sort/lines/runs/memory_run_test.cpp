#include "sort/lines/runs/memory_run.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/file/posix_file_system.hpp"
#include "sort/lines/block/input.hpp"
#include "sort/lines/runs/run_writer.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

struct OrderCase {
  const char* name;
  LineOrder order;
};

LineKey second_field(KeyRule rule) {
  LineKey key;
  key.place.begin_field = 1;
  key.rule = rule;
  return key;
}

std::vector<OrderCase> order_cases() {
  std::vector<OrderCase> cases;
  const auto add = [&](const char* name, const auto& change) {
    LineOrder order;
    order.field_separator = ' ';
    change(order);
    cases.push_back({name, order});
  };
  const KeyRule number{.kind = KeyKind::kNumber};
  add("bytes", [](LineOrder&) {});
  add("descending", [](LineOrder& order) { order.is_reversed = true; });
  add("unique", [](LineOrder& order) { order.is_unique = true; });
  add("a view", [](LineOrder& order) { order.keys = {second_field({})}; });
  add("numbers", [&](LineOrder& order) { order.keys = {second_field(number)}; });
  add("numbers downwards", [&](LineOrder& order) {
    order.keys = {second_field(number)};
    order.is_reversed = true;
  });
  add("stable numbers", [&](LineOrder& order) {
    order.keys = {second_field(number)};
    order.is_stable = true;
  });
  add("unique folded texts", [](LineOrder& order) {
    order.keys = {second_field({.folds_case = true})};
    order.is_unique = true;
  });
  return cases;
}

// The same lines in memory and in a file.
class MemoryRun : public ::testing::Test {
 protected:
  static constexpr std::size_t kBytes = std::size_t{16} << 20, kBlockBytes = 3000;
  void write_lines(std::size_t count) {
    std::mt19937 random(7);
    std::ofstream file(scratch_ / "in", std::ios::binary);
    for (std::size_t i = 0; i != count; ++i) {
      file << std::string(random() % 40, static_cast<char>('a' + random() % 3)) << ' ' << random() % 2000 << "Xx"[i % 2]
           << '\n';
    }
  }
  void fill(LineBlock& block) const {
    LineInput input(posix_file_system(), {scratch_ / "in"}, '\n', {});
    if (!block.fill(input) || !block.has_all()) throw std::runtime_error("not all lines");
    block.arrange();
  }
  const testing::ScratchDirectory scratch_;
  MemoryBudget budget_{2 * kBytes};
  RunSpace space_{{scratch_.path()}, 0};
};

TEST_F(MemoryRun, HasTheRecordsOfARunInAFile) {
  write_lines(40'000);
  for (const OrderCase& at : order_cases()) {
    SCOPED_TRACE(at.name);
    const KeyEncoder encoder(at.order);
    const RecordOrder order(at.order);
    LineBlock block(budget_, kBytes, at.order, encoder, nullptr), other(budget_, kBytes, at.order, encoder, nullptr);
    fill(block);
    fill(other);
    const spillway::Run memory = make_memory_run(block, at.order, encoder, kBlockBytes);
    const spillway::Run file =
        write_run(other, at.order, encoder, space_, kBlockBytes, encoding_memory(2, std::size_t{64} << 20), {});
    ASSERT_EQ(memory.records, file.records);
    EXPECT_EQ(memory.record_bytes, file.record_bytes);
    EXPECT_EQ(memory.longest_record, file.longest_record);
    EXPECT_EQ(memory.stored_bytes, 0u);
    EXPECT_GT(memory.blocks.size(), block.parts());
    for (std::uint64_t begin = 0; begin < memory.records; begin = 3 * begin / 2 + 1) {
      RunCursor in_memory(memory, order), in_file(file, order);
      in_memory.seek(begin, memory.records);
      in_file.seek(begin, file.records);
      for (std::uint64_t i = begin; in_file.next(); ++i) {
        ASSERT_TRUE(in_memory.next());
        ASSERT_EQ(in_memory.record().bytes, in_file.record().bytes) << i;
        ASSERT_EQ(in_memory.record().key_bytes, in_file.record().key_bytes) << i;
        ASSERT_EQ(in_memory.position(), i);
        if (i != begin) {
          ASSERT_EQ(in_memory.shared(), in_file.shared()) << i;
        }
      }
      ASSERT_FALSE(in_memory.next());
    }
    for (const std::uint64_t records : {std::uint64_t{0}, memory.records / 3, memory.records}) {
      EXPECT_EQ(line_bytes_before(memory, records, order), line_bytes_before(file, records, order)) << records;
    }
  }
}

TEST_F(MemoryRun, HasBlocksThatAreKnownByTheirFirstRecords) {
  write_lines(20'000);
  const LineOrder order;
  const KeyEncoder encoder(order);
  LineBlock block(budget_, kBytes, order, encoder, nullptr);
  fill(block);
  const spillway::Run run = make_memory_run(block, order, encoder, kBlockBytes);
  RunCursor cursor(run, RecordOrder(order));
  for (BlockWalk walk(run); !walk.is_at_end(); walk.next()) {
    cursor.seek(run.blocks[walk.block()].records_before, run.records);
    ASSERT_TRUE(cursor.next());
    EXPECT_TRUE(cursor.record().bytes.starts_with(walk.first()));
    EXPECT_LE(run.blocks[walk.block()].record_bytes, kBlockBytes + run.longest_record + 1);
  }
}

}  // namespace
}  // namespace spillway
