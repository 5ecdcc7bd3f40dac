// Sorts whole lines on a GPU: blocks are as large as its memory, and the host only reads and writes. If all input fits
// one block, that is the whole sort; otherwise devices take blocks in turn, each block becomes a run while the next one
// is read, and the CPU merges them.
#pragma once

#include <memory>
#include <span>

#include "sort/gpu/lines/line_device.hpp"
#include "sort/lines/block/input.hpp"
#include "sort/lines/block/output.hpp"
#include "sort/lines/keys/order.hpp"
#include "sort/lines/resources.hpp"

namespace spillway {

// The device's order for lines without keys.
DeviceLineOrder device_line_order(const LineOrder& order);

// Parallel inside the calling thread's TBB arena. Requires: no keys; `devices`, at least one, were made for
// device_line_order(order) with equal buffers. Throws GpuError if the GPU fails: a part of the output may be written,
// and the input must be read anew.
LineSortSummary sort_lines_on_gpu(LineInput& input, const LineOrder& order, const LineSortOptions& options,
                                  std::span<const std::unique_ptr<LineDevice>> devices, LineOutput& output);

// Lets a sort begin anew after a part of its output was written, if it puts out the same bytes again.
class RepeatableOutput final : public LineOutput {
 public:
  explicit RepeatableOutput(LineOutput& output) : output_(output) {}
  bool has_places() const override { return output_.has_places(); }
  bool is_full() const override { return output_.is_full(); }
  void expect_all(std::uint64_t bytes) override { output_.expect_all(bytes); }
  bool expect(std::uint64_t offset, std::size_t bytes) override { return output_.expect(offset, bytes); }
  void write(std::span<const std::uint8_t> bytes) override;
  void write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) override { output_.write_at(offset, bytes); }
  // From now on write() drops what was written before.
  void repeat() { position_ = 0; }

 private:
  LineOutput& output_;
  std::uint64_t written_ = 0, position_ = 0;
};

}  // namespace spillway
