#include "sort/gpu/string_merge_paper/sorter.hpp"

#include <array>
#include <string>

#include "sort/gpu/device/step_clock.hpp"
#include "sort/gpu/merge_paper/passes.cuh"
#include "sort/gpu/string/order.hpp"
#include "sort/gpu/string/words.hpp"

namespace spillway {

namespace {

constexpr unsigned kLevels = 24;  // the sort of blocks, and merges of up to 2^32 strings
constexpr unsigned kKernelThreads = 256;
constexpr unsigned kPrefixBytes = 4;

// The paper's key and value: the number stands for the address.
struct __align__(8) PrefixItem {
  std::uint32_t prefix;  // big-endian; missing bytes are 0
  std::uint32_t number;
};

template <bool kCounts>
struct PrefixOrder {
  DeviceStrings strings;
  unsigned long long* d_ties;  // of each level; unused without kCounts
  unsigned ties = 0;

  __device__ bool less(const PrefixItem& a, const PrefixItem& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    if (kCounts) ++ties;
    const DeviceString left = string_at(strings, a.number), right = string_at(strings, b.number);
    const std::uint32_t shared = shared_prefix(left, right, 0);
    if (shared == left.bytes || shared == right.bytes) return left.bytes < right.bytes;
    return left.data[shared] < right.data[shared];
  }
  __device__ void end(unsigned level) const {
    if (kCounts && ties != 0) atomicAdd(&d_ties[level], static_cast<unsigned long long>(ties));
  }
};

__global__ void make_items_kernel(DeviceStrings strings, PrefixItem* d_items) {
  const std::size_t i = blockIdx.x * std::size_t{kKernelThreads} + threadIdx.x;
  if (i >= strings.count) return;
  const auto number = static_cast<std::uint32_t>(i);
  const DeviceString string = string_at(strings, number);
  const std::size_t bytes = string.bytes < kPrefixBytes ? string.bytes : kPrefixBytes;
  d_items[i] = {static_cast<std::uint32_t>(load_big_endian(string.data, bytes) >> 32), number};
}

__global__ void take_numbers_kernel(const PrefixItem* d_items, std::size_t count, std::uint32_t* d_order) {
  const std::size_t i = blockIdx.x * std::size_t{kKernelThreads} + threadIdx.x;
  if (i < count) d_order[i] = d_items[i].number;
}

struct MergeScratch {
  PrefixItem* items[2];
  unsigned long long* ties;
};

MergeScratch lay_out(DeviceArena& arena, std::size_t count) {
  return {{arena.take<PrefixItem>(count), arena.take<PrefixItem>(count)}, arena.take<unsigned long long>(kLevels)};
}

template <bool kCounts, typename Border>
void run(const DeviceStrings& strings, std::uint32_t* d_order, const MergeScratch& scratch, GpuStreamHandle stream,
         Border border) {
  const unsigned blocks = blocks_for(strings.count, kKernelThreads);
  make_items_kernel<<<blocks, kKernelThreads, 0, stream>>>(strings, scratch.items[0]);
  check_launch();
  const PrefixItem* const d_sorted = merge_paper::sort_items(
      scratch.items[0], scratch.items[1], strings.count, PrefixOrder<kCounts>{strings, scratch.ties}, stream, border);
  take_numbers_kernel<<<blocks, kKernelThreads, 0, stream>>>(d_sorted, strings.count, d_order);
  check_launch();
}

// "merge of runs of 1024", and so on; they outlive every SortStep.
const std::array<std::string, kLevels>& level_names() {
  static const std::array<std::string, kLevels> kNames = [] {
    std::array<std::string, kLevels> names{"sort of blocks"};
    for (unsigned level = 1; level < kLevels; ++level) {
      names[level] = "merge of runs of " + std::to_string(std::uint64_t{merge_paper::kTile} << (level - 1));
    }
    return names;
  }();
  return kNames;
}

}  // namespace

std::size_t GpuStringMergePaperSorter::scratch_bytes(std::size_t count, std::size_t) const {
  if (count < 2) return 0;
  DeviceArena arena = DeviceArena::for_counting();
  lay_out(arena, count);
  return arena.used_bytes();
}

void GpuStringMergePaperSorter::sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps,
                                     std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  check_string_count(strings.count);
  if (strings.count < 2) {
    fill_identity(d_order, strings.count, stream);
  } else {
    DeviceArena arena(d_scratch, scratch_bytes(strings.count, strings.total_bytes));
    run<false>(strings, d_order, lay_out(arena, strings.count), stream, [](unsigned) {});
  }
  if (d_lcps != nullptr) compute_lcps(strings, d_order, d_lcps, stream);
}

SortSteps GpuStringMergePaperSorter::sort_in_steps(const DeviceStrings& strings, std::uint32_t* d_order,
                                                   std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  check_string_count(strings.count);
  if (strings.count < 2) {
    fill_identity(d_order, strings.count, stream);
    return {};
  }
  DeviceArena arena(d_scratch, scratch_bytes(strings.count, strings.total_bytes));
  const MergeScratch scratch = lay_out(arena, strings.count);
  cuda_check(cudaMemsetAsync(scratch.ties, 0, kLevels * sizeof(unsigned long long), stream));
  StepClock clock(kLevels + 1, stream);
  unsigned levels = 0;
  run<true>(strings, d_order, scratch, stream, [&](unsigned level) { clock.pass_border(levels = level); });
  std::array<unsigned long long, kLevels> ties{};
  copy_to_host(ties.data(), scratch.ties, sizeof ties, stream);
  cuda_check(cudaStreamSynchronize(stream));
  SortSteps all;
  for (unsigned level = 0; level < levels; ++level) {
    all.steps.push_back({level_names()[level], clock.seconds(level, level + 1), 0, ties[level]});
  }
  return all;
}

}  // namespace spillway
