#include "sort/gpu/lines/line_device.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "sort/gpu/device/arena.hpp"
#include "sort/gpu/device/cuda_check.hpp"
#include "sort/gpu/device/launch_shape.cuh"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/interface/cub.hpp"
#include "sort/gpu/lines/kernels.cuh"

namespace spillway {

namespace {

using namespace line_device;

constexpr std::size_t kMostLines = 0xFFFFFFFF;  // of a DeviceStringSorter
constexpr unsigned kCountBlocks = 1024;
constexpr std::size_t kNumberBytes = 4096;  // of host memory for counters
constexpr std::size_t kTextPadding = 16;    // DeviceStrings are read in words of 16 bytes

std::size_t tiles_of(std::size_t bytes) { return (bytes + kTileBytes - 1) / kTileBytes; }

// The memory of sort(). What it works with shares the scratch: counts of line ends, the sorter's own, and then where
// the sorted lines go.
struct SortArrays {
  std::uint64_t* d_offsets;
  std::uint32_t *d_order, *d_lcps;
  std::uint8_t* d_scratch;
  std::size_t scratch_bytes;
};
struct TileArrays {
  std::uint32_t* d_counts;
  CubScratch scan;
};
struct PlaceArrays {
  std::uint64_t *d_places, *d_borders;
  CubScratch scan;
};

TileArrays take_tiles(DeviceArena& arena, std::size_t tiles) {
  TileArrays arrays{arena.take<std::uint32_t>(tiles), {}};
  exclusive_sum(arrays.scan, static_cast<std::uint32_t*>(nullptr), static_cast<std::uint32_t>(tiles), nullptr);
  arrays.scan.d_data = arena.take_bytes(arrays.scan.bytes);
  return arrays;
}

PlaceArrays take_places(DeviceArena& arena, std::size_t lines, std::size_t borders) {
  PlaceArrays arrays{arena.take<std::uint64_t>(lines + 1), arena.take<std::uint64_t>(borders), {}};
  exclusive_sum(arrays.scan, static_cast<std::uint64_t*>(nullptr), lines + 1, nullptr);
  arrays.scan.d_data = arena.take_bytes(arrays.scan.bytes);
  return arrays;
}

class CudaLineDevice final : public LineDevice {
 public:
  explicit CudaLineDevice(const LineDeviceOptions& options)
      : order_(options.order),
        sorter_(options.sorter),
        buffer_bytes_(options.buffer_bytes),
        stream_(options.gpu),
        host_(kNumberBytes + 2 * buffer_bytes_),
        device_(options.gpu,
                options.memory_bytes != 0 ? options.memory_bytes : free_device_bytes(options.gpu) / 5 * 4) {
    DeviceArena arena(device_);
    for (Buffer& buffer : buffers_) buffer.d_window = arena.take_bytes(buffer_bytes_);
    d_counts_ = arena.take<unsigned long long>(2);
    text_mark_ = arena.used_bytes();
    d_text_ = device_.data() + text_mark_;
    h_numbers_ = reinterpret_cast<std::uint64_t*>(host_.data());
    for (std::size_t i = 0; i != 2; ++i) buffers_[i].data = host_.data() + kNumberBytes + i * buffer_bytes_;
  }

  ~CudaLineDevice() override {
    try {
      stream_.synchronize();
    } catch (const GpuError&) {
      // The memory is not used any more.
    }
  }

  std::span<std::uint8_t> next_input() override {
    stream_.make_current();
    finish_add(next_);
    if (!another_fits()) finish_add(1 - next_);
    return {buffers_[next_].data, another_fits() ? buffer_bytes_ : 0};
  }

  void add(std::size_t bytes) override {
    stream_.make_current();
    if (bytes == 0) return;
    Buffer& buffer = buffers_[next_];
    copy_to_device(d_text_ + text_bytes_, buffer.data, bytes, stream_.handle());
    cuda_check(cudaMemsetAsync(d_counts_ + next_, 0, sizeof *d_counts_, stream_.handle()));
    const TextRange text{d_text_, text_bytes_, text_bytes_ + bytes, order_.line_end};
    const unsigned blocks = std::min(kCountBlocks, blocks_for(bytes + 16, kTileBytes));
    count_ends_kernel<<<blocks, kThreads, 0, stream_.handle()>>>(text, d_counts_ + next_);
    check_launch();
    copy_to_host(h_numbers_ + next_, d_counts_ + next_, sizeof *d_counts_, stream_.handle());
    buffer.copied.record(stream_);
    buffer.added = bytes;
    text_bytes_ += bytes;
    next_ = 1 - next_;
  }

  std::uint64_t sort() override {
    stream_.make_current();
    for (const unsigned number : {0u, 1u}) finish_add(number);
    borders_.assign(1, 0);
    window_ = started_ = 0;
    if (lines_ == 0) return 0;
    DeviceArena arena(d_text_, device_.size() - text_mark_);
    const SortArrays arrays = lay_out(arena, text_bytes_, lines_);
    find_lines(arrays);
    const std::size_t lines_end = read_number(arrays.d_offsets + lines_);
    sorted_ = {{d_text_, arrays.d_offsets, lines_, lines_end}, arrays.d_order, arrays.d_lcps, order_.is_descending};
    sorter_->sort(sorted_.lines, arrays.d_order, arrays.d_lcps, arrays.d_scratch, stream_.handle());
    return place_lines(arrays);
  }

  std::uint64_t lines() const override { return lines_; }

  std::span<const std::uint8_t> next_output() override {
    stream_.make_current();
    const std::size_t windows = borders_.size() - 1;
    while (window_ != windows && borders_[window_] == borders_[window_ + 1]) ++window_;
    if (window_ == windows) {
      begin_block();
      return {};
    }
    Buffer& buffer = buffers_[window_ % 2];
    while (started_ < std::min(windows, window_ + 2)) start_window(started_++);
    buffer.copied.synchronize();
    const std::size_t bytes = borders_[window_ + 1] - borders_[window_];
    ++window_;
    return {buffer.data, bytes};
  }

 private:
  // Pinned memory for text on its way up or down, and the device's side of the way down.
  struct Buffer {
    std::uint8_t *data = nullptr, *d_window = nullptr;
    GpuEvent copied;
    std::size_t added = 0;  // bytes that are on their way up, whose lines are not counted yet
  };

  // Whether the device's memory suffices even if each byte of another buffer, and of those that are not counted yet, is
  // a line.
  bool another_fits() const {
    const std::size_t lines = lines_ + buffers_[0].added + buffers_[1].added + buffer_bytes_;
    return lines < kMostLines && needed_bytes(text_bytes_ + buffer_bytes_, lines) <= device_.size();
  }

  void finish_add(unsigned number) {
    if (buffers_[number].added == 0) return;
    buffers_[number].copied.synchronize();
    lines_ += h_numbers_[number];
    buffers_[number].added = 0;
  }

  std::size_t most_borders(std::size_t bytes) const { return bytes / (buffer_bytes_ / 2) + 2; }

  std::size_t scratch_bytes(std::size_t bytes, std::size_t lines) const {
    DeviceArena tiles = DeviceArena::for_counting(), places = DeviceArena::for_counting();
    take_tiles(tiles, tiles_of(bytes));
    take_places(places, lines, most_borders(bytes));
    return std::max({tiles.used_bytes(), places.used_bytes(), sorter_->scratch_bytes(lines, bytes)});
  }

  SortArrays lay_out(DeviceArena& arena, std::size_t bytes, std::size_t lines) const {
    arena.take_bytes(bytes + kTextPadding);
    const std::size_t scratch = scratch_bytes(bytes, lines);
    return {arena.take<std::uint64_t>(lines + 1), arena.take<std::uint32_t>(lines),
            order_.is_unique ? arena.take<std::uint32_t>(lines) : nullptr, arena.take_bytes(scratch), scratch};
  }

  std::size_t needed_bytes(std::size_t bytes, std::size_t lines) const {
    DeviceArena arena = DeviceArena::for_counting();
    lay_out(arena, bytes, lines);
    return text_mark_ + arena.used_bytes();
  }

  std::uint64_t read_number(const std::uint64_t* d_number) {
    copy_to_host(h_numbers_, d_number, sizeof *d_number, stream_.handle());
    stream_.synchronize();
    return *h_numbers_;
  }

  void find_lines(const SortArrays& arrays) {
    const TextRange text{d_text_, 0, text_bytes_, order_.line_end};
    const std::size_t tiles = tiles_of(text_bytes_);
    DeviceArena scratch(arrays.d_scratch, arrays.scratch_bytes);
    TileArrays tile_arrays = take_tiles(scratch, tiles);
    cuda_check(cudaMemsetAsync(tile_arrays.d_counts, 0, tiles * sizeof(std::uint32_t), stream_.handle()));
    cuda_check(cudaMemsetAsync(arrays.d_offsets, 0, sizeof(std::uint64_t), stream_.handle()));
    const unsigned blocks = blocks_for(tiles, 1);
    count_tiles_kernel<<<blocks, kThreads, 0, stream_.handle()>>>(text, tile_arrays.d_counts);
    check_launch();
    exclusive_sum(tile_arrays.scan, tile_arrays.d_counts, static_cast<std::uint32_t>(tiles), stream_.handle());
    take_lines_kernel<<<blocks, kThreads, 0, stream_.handle()>>>(text, tile_arrays.d_counts, arrays.d_offsets);
    check_launch();
  }

  // Finds where the sorted lines go, and cuts them into windows of about half a buffer.
  std::uint64_t place_lines(const SortArrays& arrays) {
    DeviceArena scratch(arrays.d_scratch, arrays.scratch_bytes);
    PlaceArrays places = take_places(scratch, lines_, most_borders(text_bytes_));
    measure_lines_kernel<<<blocks_for(lines_ + 1, kThreads), kThreads, 0, stream_.handle()>>>(sorted_, places.d_places);
    check_launch();
    exclusive_sum(places.scan, places.d_places, lines_ + 1, stream_.handle());
    d_places_ = places.d_places;
    const std::uint64_t bytes = read_number(d_places_ + lines_), step = buffer_bytes_ / 2;
    borders_.resize((bytes + step - 1) / step + 1);
    find_borders_kernel<<<blocks_for(borders_.size(), kThreads), kThreads, 0, stream_.handle()>>>(
        d_places_, lines_, step, borders_.size(), places.d_borders);
    check_launch();
    copy_to_host(borders_.data(), places.d_borders, borders_.size() * sizeof(std::uint64_t), stream_.handle());
    stream_.synchronize();
    for (std::size_t i = 1; i < borders_.size(); ++i) {
      if (borders_[i] - borders_[i - 1] <= buffer_bytes_) continue;
      throw GpuError("a line is longer than " + std::to_string(step) + " bytes, which the GPU does not sort");
    }
    return bytes;
  }

  void start_window(std::size_t number) {
    const std::uint64_t begin = borders_[number], end = borders_[number + 1];
    if (begin == end) return;
    Buffer& buffer = buffers_[number % 2];
    gather_kernel<<<blocks_for(end - begin, kGatherBytes), kThreads, 0, stream_.handle()>>>(
        sorted_, d_places_, begin, end, order_.line_end, buffer.d_window);
    check_launch();
    copy_to_host(buffer.data, buffer.d_window, end - begin, stream_.handle());
    buffer.copied.record(stream_);
  }

  void begin_block() {
    text_bytes_ = lines_ = 0;
    borders_.assign(1, 0);
    window_ = started_ = 0;
  }

  DeviceLineOrder order_;
  const DeviceStringSorter* sorter_;
  std::size_t buffer_bytes_;
  GpuStream stream_;
  PinnedBuffer host_;    // [ counters | two buffers ]
  DeviceBuffer device_;  // [ two windows | counters | text | what sort() needs ]
  std::array<Buffer, 2> buffers_;
  std::uint64_t* h_numbers_ = nullptr;
  unsigned long long* d_counts_ = nullptr;  // of each buffer
  std::uint8_t* d_text_ = nullptr;
  std::size_t text_mark_ = 0, text_bytes_ = 0, lines_ = 0;  // text_mark_: device memory before the text
  unsigned next_ = 0;                                       // the buffer for the next text
  SortedLines sorted_{};
  const std::uint64_t* d_places_ = nullptr;
  std::vector<std::uint64_t> borders_{0};  // of the windows of the output
  std::size_t window_ = 0, started_ = 0;   // the next one for the caller, and for the device
};

}  // namespace

std::unique_ptr<LineDevice> make_line_device(const LineDeviceOptions& options) {
  return std::make_unique<CudaLineDevice>(options);
}

}  // namespace spillway
