// Decides whether a sort of lines goes to a GPU, by which sorter and with which memory: a pure function of sizes,
// measured costs and what GPUs there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sort/gpu/device/status.hpp"

namespace spillway {

// What is asked for: --gpu and --sorter.
struct LineGpuRequest {
  bool is_allowed = true;        // false: --gpu never
  std::vector<int> gpus;         // --gpu IDS
  std::string sorter = "auto";   // or a string sorter's name
  std::size_t memory_bytes = 0;  // --gpu-memory, of each GPU; 0: four fifths of what is free
};

struct LineSortShape {
  bool has_keys = false;         // the order has
  bool has_whole_input = false;  // which stands in files as it is sorted, so that it can be read again
  std::uint64_t input_bytes = 0;
  std::size_t memory_bytes = 0, threads = 1;
};

// Measured on one H100 with 16 processors (docs/results/sort_gpu.md).
struct LineGpuCosts {
  double start_seconds = 0.46;                 // CUDA's context, pinned memory, and the end of the program
  double gpu_second_per_byte = 0.045e-9;       // to read, to copy up, and to sort
  double write_second_per_byte = 0.285e-9;     // what a GPU has sorted
  double cpu_write_second_per_byte = 0.23e-9;  // while the CPU sorts
  double cpu_thread_second_per_byte = 3.9e-9;  // to read and sort text that fits the memory
  double runs_thread_second_per_byte = 14e-9;  // to make and merge runs of other text
};

enum class LineSorting : std::uint8_t {
  kCpu,     // on the CPU
  kString,  // blocks in host memory, by a string sorter of the GPU
  kDevice   // blocks in the GPU's memory
};

struct LineGpuPlan {
  LineSorting sorting = LineSorting::kCpu;
  // Each takes a block in turn. One device if the text is expected to fit it; two share a GPU if there is no other one.
  struct Device {
    int gpu;
    std::size_t memory_bytes;  // 0: most of what is free
  };
  std::vector<Device> devices;
  std::string sorter;            // of the GPU
  std::size_t buffer_bytes = 0;  // of each of two for a device, in host memory
  std::size_t host_bytes = 0;    // of CUDA, the buffers, and as much of the output
  std::size_t block_bytes = 0;   // of text that a device is expected to sort at once
  std::string reason;            // for people, with the figures that decided
};

// `find`: find_gpus(), called only if a GPU may be used. Throws UsageError for a sorter or a GPU that was named and is
// not there, and for `memory_bytes` that are too few for it.
LineGpuPlan plan_line_gpu(const LineGpuRequest& request, const LineSortShape& shape, const LineGpuCosts& costs,
                          const std::function<GpuStatus()>& find);

}  // namespace spillway
