// LineDevice on the host, by std::sort: for tests of what is around it.
#pragma once

#include <string>
#include <vector>

#include "sort/gpu/lines/line_device.hpp"

namespace spillway::testing {

class HostLineDevice final : public LineDevice {
 public:
  // Uses buffer_bytes, order, and of memory_bytes all for text. Call number `failing_call` throws GpuError; 0: none.
  explicit HostLineDevice(const LineDeviceOptions& options, std::size_t failing_call = 0)
      : options_(options), buffer_(options.buffer_bytes), failing_call_(failing_call) {}

  std::span<std::uint8_t> next_input() override;
  void add(std::size_t bytes) override;
  std::uint64_t sort() override;
  std::uint64_t lines() const override { return lines_; }
  std::span<const std::uint8_t> next_output() override;
  std::size_t calls() const { return calls_; }
  std::size_t blocks() const { return blocks_; }

 private:
  void count_call();
  LineDeviceOptions options_;
  std::vector<std::uint8_t> buffer_;
  std::string text_, sorted_;
  std::size_t taken_ = 0, lines_ = 0, failing_call_, calls_ = 0, blocks_ = 0;
};

}  // namespace spillway::testing
