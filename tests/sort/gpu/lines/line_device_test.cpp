#include "sort/gpu/lines/line_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>

#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/faults.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/registry.hpp"
#include "tests/support/gpu_host_forms/line_device.hpp"

namespace spillway {
namespace {

using testing::HostLineDevice;

constexpr std::size_t kBuffer = 65536;

// Lines with shared prefixes and duplicates, among them empty ones and bytes around the line end.
std::string make_text(std::size_t lines, char line_end, unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  std::string prefixes[] = {"", "usr/share/doc/", std::string(40, 'x'), std::string(300, '\xff')};
  for (std::string& prefix : prefixes) std::ranges::replace(prefix, line_end, 'b');
  for (std::size_t i = 0; i != lines; ++i) {
    if (random() % 8 != 0) text += prefixes[random() % 4];
    for (std::size_t bytes = random() % 12; bytes != 0; --bytes) {
      const char byte = static_cast<char>(random() % 4 == 0 ? random() % 256 : "\0\1\t\n\v a\xff"[random() % 8]);
      if (byte != line_end) text += byte;
    }
    text += line_end;
  }
  return text;
}

// The blocks of sorted text that a device makes of a text. A block that is full ends after its last line end.
std::vector<std::string> run(LineDevice& device, std::string_view text, char line_end = '\n') {
  std::vector<std::string> blocks;
  std::size_t at = 0;
  for (bool is_last = false; !is_last;) {
    while (!is_last) {
      const std::span<std::uint8_t> buffer = device.next_input();
      if (buffer.empty()) break;
      const std::size_t bytes = std::min(buffer.size(), text.size() - at);
      std::memcpy(buffer.data(), text.data() + at, bytes);
      device.add(bytes);
      at += bytes;
      is_last = bytes < buffer.size();
    }
    if (!is_last) at = text.rfind(line_end, at - 1) + 1;
    const std::uint64_t bytes = device.sort();
    std::string block;
    for (auto out = device.next_output(); !out.empty(); out = device.next_output()) {
      block.append(reinterpret_cast<const char*>(out.data()), out.size());
    }
    EXPECT_EQ(block.size(), bytes);
    blocks.push_back(block);
  }
  return blocks;
}

class GpuLineDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_gpus().state != GpuState::kUsable) GTEST_SKIP() << find_gpus().detail;
  }
  static LineDeviceOptions options(const DeviceLineOrder& order, std::size_t memory_bytes = std::size_t{1} << 28) {
    return {first_usable_gpu(), find_device_string_sorter("gpu-string-radix"), kBuffer, memory_bytes, order};
  }
};

TEST_F(GpuLineDevice, SortsAsTheHostDoes) {
  for (const std::uint8_t line_end : {'\n', '\0', 'a', '\xff'}) {
    for (unsigned flags = 0; flags != 4; ++flags) {
      const DeviceLineOrder order{line_end, (flags & 1) != 0, (flags & 2) != 0};
      for (const std::size_t lines : {0, 1, 2, 1000, 200000}) {
        SCOPED_TRACE(std::to_string(line_end) + " " + std::to_string(flags) + " " + std::to_string(lines));
        const std::string text = make_text(lines, static_cast<char>(line_end), 7 + flags);
        HostLineDevice host(options(order, 0));
        const auto on_gpu = make_line_device(options(order));
        EXPECT_TRUE(run(*on_gpu, text, static_cast<char>(line_end)) == run(host, text));
      }
    }
  }
}

TEST_F(GpuLineDevice, TakesEachSorter) {
  const std::string text = make_text(100000, '\n', 3);
  HostLineDevice host(options({}, 0));
  const auto expected = run(host, text);
  for (const DeviceStringSorter* sorter : device_string_sorters()) {
    LineDeviceOptions other = options({});
    other.sorter = sorter;
    EXPECT_TRUE(run(*make_line_device(other), text) == expected) << sorter->name();
  }
}

TEST_F(GpuLineDevice, KeepsAllLinesOfManyBlocks) {
  const std::string text = make_text(400000, '\n', 5);
  const auto device = make_line_device(options({}, std::size_t{20} << 20));
  const std::vector<std::string> blocks = run(*device, text);
  EXPECT_GT(blocks.size(), 2u);
  std::string all;
  for (const std::string& block : blocks) {
    HostLineDevice host(options({}, 0));
    EXPECT_TRUE(run(host, block).front() == block);
    all += block;
  }
  HostLineDevice host(options({}, 0)), other(options({}, 0));
  EXPECT_TRUE(run(host, all) == run(other, text));
}

TEST_F(GpuLineDevice, RefusesALineLongerThanHalfABuffer) {
  const auto device = make_line_device(options({}));
  EXPECT_THROW(run(*device, "a\n" + std::string(3 * kBuffer, 'x') + "\nb\n"), GpuError);
}

TEST_F(GpuLineDevice, ThrowsAtEachFaultAndSortsAfterwards) {
  const std::string text = make_text(20000, '\n', 9);
  HostLineDevice host(options({}, 0));
  const auto expected = run(host, text);
  for (std::uint64_t call = 1;; ++call) {
    fail_gpu_call(call);
    try {
      EXPECT_TRUE(run(*make_line_device(options({})), text) == expected);
    } catch (const GpuError&) {
      EXPECT_EQ(gpu_faults_fired(), 1u);
    }
    const bool is_over = gpu_faults_fired() == 0;
    fail_gpu_call(0);
    if (is_over) break;
  }
  EXPECT_TRUE(run(*make_line_device(options({})), text) == expected);
}

TEST(LineDevice, NeedsAGpu) {
  if (find_gpus().state == GpuState::kUsable) GTEST_SKIP() << "there is a GPU";
  EXPECT_THROW(static_cast<void>(make_line_device({})), GpuError);
}

}  // namespace
}  // namespace spillway
