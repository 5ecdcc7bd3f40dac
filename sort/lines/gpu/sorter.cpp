#include "sort/lines/gpu/sorter.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "io/base/bytes.hpp"
#include "sort/lines/runs/merge.hpp"
#include "sort/lines/runs/run.hpp"

namespace spillway {

namespace {

constexpr std::size_t kPartBytes = std::size_t{512} << 10;  // of a window, for one task

// Cuts text into parts of whole lines.
std::vector<std::span<const std::uint8_t>> cut_lines(std::span<const std::uint8_t> text) {
  std::vector<std::span<const std::uint8_t>> parts;
  while (!text.empty()) {
    std::size_t bytes = text.size();
    if (bytes > kPartBytes) {
      const auto rest = text.subspan(kPartBytes - 1);
      const auto* const end = static_cast<const std::uint8_t*>(std::memchr(rest.data(), text.back(), rest.size()));
      bytes = static_cast<std::size_t>(end - text.data()) + 1;
    }
    parts.push_back(text.first(bytes));
    text = text.subspan(bytes);
  }
  return parts;
}

class GpuLineSort {
 public:
  GpuLineSort(const LineOrder& order, const LineSortOptions& options, LineDevice& device)
      : order_(order),
        options_(options),
        device_(device),
        resources_(merge_resources(options)),
        space_(options.temp_directories, options.temp_limit_bytes) {}

  LineSortSummary run(LineInput& input, LineOutput& output) {
    std::vector<Run> runs;
    for (;;) {
      const bool is_last = fill(input);
      const std::uint64_t bytes = device_.sort();
      if (runs.empty() && is_last) {
        write(output);
        return {};
      }
      if (bytes != 0) runs.push_back(write_run());
      if (is_last) break;
    }
    LineSortSummary summary;
    summary.runs = runs.size();
    merge_runs(std::move(runs), space_, order_, resources_, output);
    summary.spilled_bytes = space_.written_bytes();
    return summary;
  }

 private:
  // Returns whether the input ended.
  bool fill(LineInput& input) {
    for (;;) {
      const std::span<std::uint8_t> buffer = device_.next_input();
      if (buffer.empty()) return false;
      const std::size_t bytes = input.read(buffer);
      device_.add(bytes);
      if (bytes < buffer.size()) return true;
    }
  }

  void write(LineOutput& output) {
    std::uint64_t offset = 0;
    for (auto text = device_.next_output(); !text.empty(); text = device_.next_output()) {
      const auto parts = cut_lines(text);
      if (output.has_places()) {
        output.expect(offset, text.size());
        tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) {
          output.write_at(offset + static_cast<std::uint64_t>(parts[i].data() - text.data()), parts[i]);
        });
      } else {
        for (const auto& part : parts) output.write(part);
      }
      offset += text.size();
    }
  }

  Run write_run() {
    Run run;
    run.file = &space_.next_file();
    for (auto text = device_.next_output(); !text.empty(); text = device_.next_output()) {
      if (options_.check) options_.check();
      const auto parts = cut_lines(text);
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
    return run;
  }

  std::vector<EncodedBlock> encode(std::span<const std::uint8_t> text) const {
    std::vector<EncodedBlock> blocks;
    BlockEncoder encoder{RecordOrder(order_)};
    std::string_view last;
    for (std::string_view rest(reinterpret_cast<const char*>(text.data()), text.size()); !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find(order_.line_end));
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
  LineDevice& device_;
  MergeResources resources_;
  RunSpace space_;
};

}  // namespace

DeviceLineOrder device_line_order(const LineOrder& order) {
  return {static_cast<std::uint8_t>(order.line_end), order.is_descending(), order.is_unique};
}

LineSortSummary sort_lines_on_gpu(LineInput& input, const LineOrder& order, const LineSortOptions& options,
                                  LineDevice& device, LineOutput& output) {
  return GpuLineSort(order, options, device).run(input, output);
}

void RepeatableOutput::write(std::span<const std::uint8_t> bytes) {
  const auto done = static_cast<std::size_t>(std::min<std::uint64_t>(written_ - position_, bytes.size()));
  position_ += bytes.size();
  written_ = std::max(written_, position_);
  if (done != bytes.size()) output_.write(bytes.subspan(done));
}

}  // namespace spillway
