#include "sort/gpu_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "io/base/error.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/sorters.hpp"

namespace spillway {

namespace {

constexpr std::string_view kRadix = "gpu-radix";
constexpr std::string_view kBitonic = "gpu-bitonic";
constexpr std::string_view kStringRadix = "gpu-string-radix";

// Assumed for a job of unknown size.
constexpr std::uint64_t kUnknownBytes = std::uint64_t{16} << 30;

std::string rounded(double value, const char* format) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string mebibytes(std::size_t bytes) { return rounded(static_cast<double>(bytes) / (1 << 20), "%.1f MiB"); }

std::size_t block_of(const GpuSortPlanInput& input, double device_bytes) {
  const double most = static_cast<double>(input.arena_bytes) / std::max(device_bytes, 1e-9);
  return most >= static_cast<double>(input.host_block_bytes) ? input.host_block_bytes : static_cast<std::size_t>(most);
}

// Returns the seconds to sort all blocks and to merge their runs.
double job_seconds(const GpuSortPlanInput& input, std::size_t block_bytes, double second_per_record,
                   const GpuSortCosts& costs) {
  const double total = static_cast<double>(input.total_block_bytes == 0 ? kUnknownBytes : input.total_block_bytes);
  const double runs = std::max(1.0, total / static_cast<double>(std::max<std::size_t>(block_bytes, 1)));
  const double records = total * input.records_per_block_byte;
  return records * second_per_record + runs * expected_terms(records / runs) * costs.merge_second_per_entry;
}

// UsageError unless `name` is one of `names`.
void check_name(std::string_view what, std::string_view name, const std::vector<std::string_view>& names) {
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  std::string message =
      "there is no " + std::string(what) + " sorter of the GPU named '" + printable(name) + "': choose one of auto";
  for (const std::string_view known : names) message += ", " + std::string(known);
  throw UsageError(message);
}

}  // namespace

double expected_terms(double records) { return std::min(records, 40 * std::sqrt(records)); }

GpuSortPlan choose_gpu_record_sorter(std::string_view name, const GpuSortPlanInput& input, const GpuSortCosts& costs) {
  const std::size_t with_radix = block_of(input, input.radix_device_bytes);
  const std::size_t with_bitonic = block_of(input, input.bitonic_device_bytes);
  const std::string arena = "a block has " + mebibytes(input.arena_bytes) + " of device memory";
  if (name != "auto") {
    std::vector<std::string_view> names;
    for (const RecordSorter* sorter : gpu_record_sorters()) names.push_back(sorter->name());
    check_name("record", name, names);
    const std::size_t block = name == kBitonic ? with_bitonic : with_radix;
    return {{std::string(name), "asked for by name; " + arena + ", so blocks take " + mebibytes(block)}, block};
  }
  const std::string blocks = "blocks of " + mebibytes(with_radix) + " with " + std::string(kRadix);
  if (with_radix >= input.host_block_bytes) {
    return {
        {std::string(kRadix), arena + ", enough for " + blocks + ", all that --memory allows, and it is the fastest"},
        with_radix};
  }
  const double radix_seconds = job_seconds(input, with_radix, costs.radix_second_per_record, costs);
  const double bitonic_seconds = job_seconds(input, with_bitonic, costs.bitonic_second_per_record, costs);
  const std::string stats = arena + ": " + blocks + ", " + mebibytes(with_bitonic) + " with " + std::string(kBitonic) +
                            ", which sorts in place; sorting and merging take about " +
                            rounded(radix_seconds, "%.2f s") + " and " + rounded(bitonic_seconds, "%.2f s");
  if (bitonic_seconds < radix_seconds) return {{std::string(kBitonic), stats}, with_bitonic};
  return {{std::string(kRadix), stats}, with_radix};
}

SorterChoice choose_gpu_string_sorter(std::string_view name) {
  if (name == "auto") {
    return {std::string(kStringRadix), "the fastest that was measured on large sets of words and tokens"};
  }
  check_name("string", name, gpu_string_sorter_names());
  return {std::string(name), "asked for by name"};
}

}  // namespace spillway
