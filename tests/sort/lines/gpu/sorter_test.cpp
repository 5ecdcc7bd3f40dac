#include "sort/lines/gpu/sorter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <mutex>
#include <optional>

#include "io/file/posix_file_system.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/lines/resume/kept_runs.hpp"
#include "sort/lines/sorter.hpp"
#include "tests/support/gpu_host_forms/line_device.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::HostLineDevice;

class TextOutput final : public LineOutput {
 public:
  explicit TextOutput(bool has_places) : has_places_(has_places) {}
  bool has_places() const override { return has_places_; }
  void expect_all(std::uint64_t bytes) override { expected = bytes; }
  bool expect(std::uint64_t offset, std::size_t bytes) override {
    text.resize(std::max<std::size_t>(text.size(), offset + bytes), '?');
    return true;
  }
  void write(std::span<const std::uint8_t> bytes) override {
    EXPECT_EQ(bytes.back(), '\n');
    text.append(bytes.begin(), bytes.end());
  }
  void write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) override {
    const std::lock_guard lock(mutex_);
    text.resize(std::max<std::size_t>(text.size(), offset + bytes.size()), '?');
    std::ranges::copy(bytes, text.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  std::string text;
  std::optional<std::uint64_t> expected;

 private:
  bool has_places_;
  std::mutex mutex_;
};

using Devices = std::vector<std::unique_ptr<LineDevice>>;

const HostLineDevice& host(const Devices& devices, std::size_t i) {
  return static_cast<const HostLineDevice&>(*devices[i]);
}

class LinesOnGpu : public ::testing::Test {
 protected:
  static constexpr std::size_t kBuffer = 65536;
  LinesOnGpu() {
    std::ofstream file(scratch_ / "in", std::ios::binary);
    for (std::uint32_t i = 0; i != 60000; ++i) file << "line " << i * 2654435761u % 50000 << "\n";
    file << "the last one, without an end";
  }
  LineInput input() const { return {posix_file_system(), {scratch_ / "in"}, '\n', {}}; }
  LineSortOptions options() const {
    LineSortOptions options;
    options.memory_bytes = std::size_t{64} << 20;
    options.temp_directories = {scratch_.path()};
    return options;
  }
  static Devices make_devices(std::size_t count, const LineOrder& order, std::size_t memory_bytes,
                              std::size_t failing_call = 0) {
    Devices devices;
    for (std::size_t i = 0; i != count; ++i) {
      const LineDeviceOptions options{0, nullptr, kBuffer, memory_bytes, device_line_order(order)};
      devices.push_back(std::make_unique<HostLineDevice>(options, i + 1 == count ? failing_call : 0));
    }
    return devices;
  }
  std::string on_cpu(const LineOrder& order) const {
    TextOutput output(false);
    LineInput text = input();
    sort_lines(text, order, options(), output);
    return output.text;
  }
  testing::ScratchDirectory scratch_;
};

LineOrder order_of(unsigned flags) {
  LineOrder order;
  order.is_reversed = (flags & 1) != 0;
  order.is_unique = (flags & 2) != 0;
  return order;
}

TEST_F(LinesOnGpu, AreThoseOfTheCpuInOneBlockAndInMany) {
  for (unsigned flags = 0; flags != 4; ++flags) {
    const LineOrder order = order_of(flags);
    const std::string expected = on_cpu(order);
    for (const std::size_t memory : {std::size_t{0}, 3 * kBuffer}) {
      for (const std::size_t count : {1, 2, 3}) {
        SCOPED_TRACE(std::to_string(flags) + " " + std::to_string(memory) + " " + std::to_string(count));
        const Devices devices = make_devices(count, order, memory);
        TextOutput output(count == 2);
        LineInput text = input();
        const LineSortSummary summary = sort_lines_on_gpu(text, order, options(), devices, output);
        EXPECT_TRUE(output.text == expected);
        EXPECT_EQ(output.expected.value_or(expected.size()), expected.size());
        EXPECT_EQ(summary.bytes, text.bytes_read());
        EXPECT_EQ(summary.lines, 60001u);
        std::size_t blocks = 0;
        for (std::size_t i = 0; i != count; ++i) blocks += host(devices, i).blocks();
        EXPECT_EQ(summary.runs, memory == 0 ? 0 : blocks);
        EXPECT_EQ(summary.runs > 3, memory != 0);
        EXPECT_EQ(host(devices, count - 1).blocks() != 0, memory != 0 || count == 1);
      }
    }
  }
}

TEST_F(LinesOnGpu, AreThoseOfTheCpuWhereverTheGpuFails) {
  const LineOrder order;
  const std::string expected = on_cpu(order);
  for (const std::size_t memory : {std::size_t{0}, 3 * kBuffer}) {
    for (const std::size_t count : {1, 2}) {
      for (std::size_t call = 1;; ++call) {
        const Devices devices = make_devices(count, order, memory, call);
        TextOutput output(call % 2 == 0);
        RepeatableOutput repeatable(output);
        bool has_failed = false;
        try {
          LineInput text = input();
          sort_lines_on_gpu(text, order, options(), devices, repeatable);
        } catch (const GpuError&) {
          has_failed = true;
          repeatable.repeat();
          LineInput text = input();
          sort_lines(text, order, options(), repeatable);
        }
        EXPECT_TRUE(output.text == expected) << call;
        EXPECT_EQ(has_failed, host(devices, count - 1).calls() >= call);
        if (!has_failed) break;
      }
    }
  }
}

// What the GPU has sorted when it fails, the CPU need not sort again.
TEST_F(LinesOnGpu, AreGoneOnWithAfterAFailure) {
  for (unsigned flags = 0; flags != 4; ++flags) {
    const LineOrder order = order_of(flags);
    const std::string expected = on_cpu(order);
    std::uint64_t most_resumed = 0;
    for (std::size_t call = 1, step = 1;; call += step++) {
      LineSortOptions sorting = options();
      KeptRuns kept(posix_file_system(), scratch_ / "out.work", {}, InterruptedSort::kGoOn);
      sorting.keeper = &kept;
      TextOutput output(false);
      try {
        LineInput text = input();
        sort_lines_on_gpu(text, order, sorting, make_devices(2, order, 3 * kBuffer, call), output);
        EXPECT_TRUE(output.text == expected);
        kept.remove();
        break;
      } catch (const GpuError&) {
        const std::uint64_t done = kept.done().bytes;
        most_resumed = std::max(most_resumed, done);
        LineInput text = input();
        EXPECT_EQ(sort_lines(text, order, sorting, output).resumed_bytes, done);
      }
      EXPECT_TRUE(output.text == expected) << call;
      kept.remove();
    }
    EXPECT_GT(most_resumed, 300'000U);
  }
}

// The GPU goes on after runs of the CPU, and after its own; also if nothing of the input is left.
TEST_F(LinesOnGpu, GoOnWhereAnEarlierSortEnded) {
  const LineOrder order;
  const std::string expected = on_cpu(order);
  for (const bool begins_on_cpu : {false, true}) {
    for (int checks = 0;; checks += 7) {
      LineSortOptions sorting = options();
      sorting.block_bytes = 3 * kBuffer;
      int left = checks;
      sorting.check = [&] {
        if (left-- == 0) throw InterruptedError(SIGINT);
      };
      bool is_interrupted = false;
      KeptRuns kept(posix_file_system(), scratch_ / "out.work", {}, InterruptedSort::kGoOn);
      sorting.keeper = &kept;
      try {
        TextOutput output(false);
        LineInput text = input();
        if (begins_on_cpu) {
          sort_lines(text, order, sorting, output);
        } else {
          sort_lines_on_gpu(text, order, sorting, make_devices(1, order, 3 * kBuffer), output);
        }
      } catch (const InterruptedError&) {
        is_interrupted = true;
      }
      sorting.check = {};
      TextOutput output(false);
      LineInput text = input();
      const std::uint64_t done = kept.has_commit() ? kept.done().bytes : 0;
      const auto summary = sort_lines_on_gpu(text, order, sorting, make_devices(2, order, 3 * kBuffer), output);
      EXPECT_EQ(summary.resumed_bytes, done);
      EXPECT_TRUE(output.text == expected) << checks;
      kept.remove();
      if (!is_interrupted) break;
    }
  }
}

TEST_F(LinesOnGpu, OfMoreThanHalfABufferAreLeftToTheCpu) {
  std::ofstream(scratch_ / "in") << std::string(2 * kBuffer, 'x') << "\nshort\n";
  TextOutput output(false);
  LineInput text = input();
  const Devices devices = make_devices(1, {}, 0);
  EXPECT_THROW(sort_lines_on_gpu(text, {}, options(), devices, output), GpuError);
}

TEST_F(LinesOnGpu, OfNoInputAreNone) {
  std::ofstream(scratch_ / "in", std::ios::trunc).close();
  const Devices devices = make_devices(1, {}, 0);
  TextOutput output(false);
  LineInput text = input();
  EXPECT_EQ(sort_lines_on_gpu(text, {}, options(), devices, output).runs, 0u);
  EXPECT_EQ(output.text, "");
}

}  // namespace
}  // namespace spillway
