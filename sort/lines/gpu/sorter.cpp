#include "sort/lines/gpu/sorter.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "io/base/bytes.hpp"
#include "io/base/stopwatch.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/lines/runs/merge.hpp"
#include "sort/lines/runs/run.hpp"

namespace spillway {

namespace {

constexpr std::size_t kPartBytes = std::size_t{512} << 10;  // of a window, for one task, at least

// Cuts text into parts of whole lines: `part_bytes` each, and the rest of a line.
std::vector<std::span<const std::uint8_t>> cut_lines(std::span<const std::uint8_t> text, std::size_t part_bytes) {
  std::vector<std::span<const std::uint8_t>> parts;
  while (!text.empty()) {
    std::size_t bytes = text.size();
    if (bytes > part_bytes) {
      const auto rest = text.subspan(part_bytes - 1);
      const auto* const end = static_cast<const std::uint8_t*>(std::memchr(rest.data(), text.back(), rest.size()));
      bytes = static_cast<std::size_t>(end - text.data()) + 1;
    }
    parts.push_back(text.first(bytes));
    text = text.subspan(bytes);
  }
  return parts;
}

// Writes windows of the output, one after the other, at their places. Whether copies into a file's pages are faster
// than write() depends on the file system, and on how many threads wait for its locks; so the first windows try both.
class WindowWriter {
 public:
  explicit WindowWriter(LineOutput& output) : output_(output) {}

  void write(std::span<const std::uint8_t> text) {
    const bool wants_pages = number_ < kTries ? number_ % 2 == 1 : seconds_per_byte_[1] < seconds_per_byte_[0];
    const Stopwatch watch;
    const bool has_pages = output_.expect(offset_, wants_pages ? text.size() : 0);
    const auto parts = cut_lines(text, std::max(text.size() / kWriters + 1, kPartBytes));
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) {
      output_.write_at(offset_ + static_cast<std::uint64_t>(parts[i].data() - text.data()), parts[i]);
    });
    if (number_ < kTries && has_pages == wants_pages) {
      double& least = seconds_per_byte_[has_pages ? 1 : 0];
      least = std::min(least, watch.seconds() / static_cast<double>(text.size()));
    }
    offset_ += text.size();
    ++number_;
  }

 private:
  static constexpr std::size_t kTries = 4;
  // 6 GB go to pages of ext4 in 0.6 to 1.5 s by 4 threads, and in 0.5 to 4.7 s by 16; by write(), to space that was
  // allocated before, in 0.9 to 1.2 s.
  static constexpr std::size_t kWriters = 4;
  LineOutput& output_;
  std::uint64_t offset_ = 0;
  std::size_t number_ = 0;
  double seconds_per_byte_[2] = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
};

class GpuLineSort {
 public:
  GpuLineSort(const LineOrder& order, const LineSortOptions& options,
              std::span<const std::unique_ptr<LineDevice>> devices)
      : order_(order),
        options_(options),
        devices_(devices),
        resources_(merge_resources(options)),
        space_(options.temp_directories, options.temp_limit_bytes, options.keeper) {}

  LineSortSummary run(LineInput& input, LineOutput& output) {
    if (options_.keeper != nullptr) summary_.resumed_bytes = go_on(input, *options_.keeper);
    begin("read");
    const bool is_last = fill(*devices_.front(), input);
    if (is_last && runs_.empty()) {
      const std::uint64_t bytes = sort(*devices_.front());
      begin("write");
      const Stopwatch watch;
      output.expect_all(bytes);
      write(*devices_.front(), output);
      summary_.seconds.write = watch.seconds();
    } else {
      make_runs(input, is_last);
      begin("merge");
      const Stopwatch watch;
      merge_runs(std::move(runs_), space_, order_, resources_, output);
      summary_.seconds.merge = watch.seconds();
    }
    summary_.spilled_bytes = space_.written_bytes();
    if (options_.report) options_.report(summary_);
    return summary_;
  }

 private:
  // After the runs of an earlier process, if there are any. Returns the bytes in them.
  std::uint64_t go_on(LineInput& input, const RunKeeper& keeper) {
    input.keep_places();
    runs_ = space_.open_kept();
    if (runs_.empty()) return 0;
    const InputDone done = keeper.done();
    summary_.lines = done.lines;
    summary_.runs = runs_.size();
    input.go_on_after(done);
    return done.bytes;
  }

  void begin(const char* stage) {
    summary_.stage = stage;
    if (options_.report) options_.report(summary_);
  }

  // Returns the bytes of the sorted lines.
  std::uint64_t sort(LineDevice& device) {
    const Stopwatch watch;
    const std::uint64_t bytes = device.sort();
    summary_.seconds.split += watch.seconds();
    summary_.lines += device.lines();
    return bytes;
  }

  // Gives the first device's block, and further ones unless the input `is_last`, until it ends. One block at a time
  // becomes a run.
  void make_runs(LineInput& input, bool is_last) {
    tbb::task_group spilling;
    for (std::size_t number = 0;; ++number) {
      LineDevice& device = *devices_[number % devices_.size()];
      spilling.wait();
      const InputDone done = options_.keeper == nullptr ? InputDone() : input.done_before(is_last ? 0 : rest_.size());
      spilling.run([this, &device, done] { spill(device, done); });
      if (is_last) break;
      if (devices_.size() == 1) spilling.wait();
      LineDevice& next = *devices_[(number + 1) % devices_.size()];
      try {
        tbb::this_task_arena::isolate([&] { is_last = fill(next, input); });
      } catch (...) {
        finish(spilling);
        throw;
      }
    }
    spilling.wait();
  }

  // Lets the block that is being sorted become a run whatever failed meanwhile: the end of a group cancels its tasks,
  // and then a part of the run would be missing.
  static void finish(tbb::task_group& spilling) {
    try {
      spilling.wait();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the first error is the one to report
    }
  }

  // Returns whether the input ended. If not, the begin of a line may be left for the next block.
  bool fill(LineDevice& device, LineInput& input) {
    const Stopwatch watch;
    const bool is_last = fill_buffers(device, input);
    summary_.seconds.read += watch.seconds();
    summary_.bytes = input.bytes_read();
    return is_last;
  }

  bool fill_buffers(LineDevice& device, LineInput& input) {
    std::span<std::uint8_t> buffer = device.next_input();
    if (buffer.empty()) throw GpuError("the GPU has too little memory that is free");
    std::ranges::copy(rest_, buffer.begin());
    for (std::size_t begin = rest_.size();; begin = 0) {
      const std::size_t bytes = begin + input.read(buffer.subspan(begin));
      const bool is_last = bytes < buffer.size();
      if (!is_last) keep_rest(buffer);
      device.add(bytes);
      if (is_last) return true;
      buffer = device.next_input();
      if (buffer.empty()) return false;
    }
  }

  void keep_rest(std::span<const std::uint8_t> text) {
    const auto* const end =
        static_cast<const std::uint8_t*>(::memrchr(text.data(), order_.format.line_end, text.size()));
    if (end == nullptr || text.data() + text.size() - end > static_cast<std::ptrdiff_t>(text.size() / 2)) {
      throw GpuError("a line is longer than " + std::to_string(text.size() / 2) +
                     " bytes, which the GPU does not sort");
    }
    rest_.assign(end + 1, text.data() + text.size());
  }

  static void write(LineDevice& device, LineOutput& output) {
    WindowWriter writer(output);
    for (auto text = device.next_output(); !text.empty(); text = device.next_output()) {
      if (output.has_places()) {
        writer.write(text);
      } else {
        for (const auto& part : cut_lines(text, kPartBytes)) output.write(part);
      }
    }
  }

  void spill(LineDevice& device, InputDone done) {
    const Stopwatch watch;
    if (sort(device) == 0) return;
    Run run;
    run.file = &space_.next_file();
    for (auto text = device.next_output(); !text.empty(); text = device.next_output()) {
      if (options_.check) options_.check();
      const auto parts = cut_lines(text, kPartBytes);
      std::vector<std::vector<EncodedBlock>> encoded(parts.size());
      tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) { encoded[i] = encode(parts[i]); });
      for (const auto& blocks : encoded) {
        for (const EncodedBlock& block : blocks) {
          space_.charge(block.stored.size());
          append_block(run, block);
        }
      }
    }
    run.blocks.shrink_to_fit();
    done.lines = summary_.lines;
    space_.keep(run, done);
    runs_.push_back(std::move(run));
    summary_.runs = runs_.size();
    summary_.seconds.spill += watch.seconds();
  }

  std::vector<EncodedBlock> encode(std::span<const std::uint8_t> text) const {
    std::vector<EncodedBlock> blocks;
    BlockEncoder encoder{RecordOrder(order_)};
    std::string_view last;
    for (std::string_view rest(reinterpret_cast<const char*>(text.data()), text.size()); !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find(order_.format.line_end));
      encoder.add({line, 0}, shared_bytes(last, line));
      if (encoder.record_bytes() >= resources_.block_bytes) blocks.push_back(encoder.finish());
      last = line;
      rest.remove_prefix(line.size() + 1);
    }
    if (!encoder.is_empty()) blocks.push_back(encoder.finish());
    return blocks;
  }

  const LineOrder& order_;
  const LineSortOptions& options_;
  std::span<const std::unique_ptr<LineDevice>> devices_;
  MergeResources resources_;
  RunSpace space_;
  std::vector<Run> runs_;
  std::vector<std::uint8_t> rest_;  // of the text read so far: what follows the last line end
  // fill() sets what was read, and one spill() at a time, in another thread, what was sorted.
  LineSortSummary summary_;
};

}  // namespace

DeviceLineOrder device_line_order(const LineOrder& order) {
  return {static_cast<std::uint8_t>(order.format.line_end), order.is_descending(), order.is_unique};
}

LineSortSummary sort_lines_on_gpu(LineInput& input, const LineOrder& order, const LineSortOptions& options,
                                  std::span<const std::unique_ptr<LineDevice>> devices, LineOutput& output) {
  return GpuLineSort(order, options, devices).run(input, output);
}

void RepeatableOutput::write(std::span<const std::uint8_t> bytes) {
  const auto done = static_cast<std::size_t>(std::min<std::uint64_t>(written_ - position_, bytes.size()));
  position_ += bytes.size();
  written_ = std::max(written_, position_);
  if (done != bytes.size()) output_.write(bytes.subspan(done));
}

}  // namespace spillway
