#include "merge/merge_plan.hpp"

#include <algorithm>
#include <numeric>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMostFanIn = 1024;  // with more sources, reads of single blocks dominate

std::size_t minus(std::size_t a, std::size_t b) { return a > b ? a - b : 0; }

std::size_t run_memory(const MergePlanInput& input) { return input.cursor_bytes + input.open_bytes; }

std::size_t fan_in_of(const MergePlanInput& input) {
  const std::size_t cursors_bytes = minus(input.memory_bytes, input.output_bytes);
  const std::size_t by_memory = run_memory(input) == 0 ? kMostFanIn : cursors_bytes / run_memory(input);
  const std::size_t by_files = minus(input.open_files, 1);  // a merge into a run has that run open, too
  const std::size_t asked = input.max_fan_in == 0 ? kMostFanIn : input.max_fan_in;
  return std::min({by_memory, by_files, asked, kMostFanIn});
}

[[noreturn]] void refuse(const MergePlanInput& input) {
  if (input.open_files < kLeastOpenFiles) {
    throw BudgetError("a merge needs " + std::to_string(kLeastOpenFiles) + " open files at least and may have " +
                      std::to_string(input.open_files) + ": raise the limit of open files (ulimit -n)");
  }
  if (input.max_fan_in == 1) throw UsageError("a merge takes at least 2 runs at a time, not 1");
  throw BudgetError("merging two runs needs " + std::to_string(2 * run_memory(input) + input.output_bytes) +
                    " bytes, and the merge may use " + std::to_string(input.memory_bytes) + ": raise --memory");
}

// Divides `run_count` runs into groups of neighbours whose sizes differ by at most one.
std::vector<std::uint32_t> even_groups(std::size_t run_count, std::size_t group_count) {
  std::vector<std::uint32_t> groups(group_count);
  for (std::size_t i = 0; i < group_count; ++i) {
    groups[i] = static_cast<std::uint32_t>(run_count * (i + 1) / group_count - run_count * i / group_count);
  }
  return groups;
}

// The cheapest pass that leaves at most fan_in runs. It merges as few runs as it must, in adjacent groups at the place
// where they have the fewest bytes in total; all other groups are single runs, which are not rewritten. Merging g + 1
// neighbours removes g runs.
std::vector<std::uint32_t> least_groups(const std::vector<std::uint64_t>& bytes, std::size_t fan_in) {
  const std::size_t excess = bytes.size() - fan_in;
  std::vector<std::uint32_t> sizes = even_groups(excess, (excess + fan_in - 2) / (fan_in - 1));
  for (std::uint32_t& size : sizes) ++size;
  const std::size_t merged = excess + sizes.size();
  std::uint64_t covered =
      std::accumulate(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(merged), std::uint64_t{0});
  std::uint64_t least = covered;
  std::size_t place = 0;
  for (std::size_t begin = 1; begin + merged <= bytes.size(); ++begin) {
    covered = covered - bytes[begin - 1] + bytes[begin + merged - 1];
    if (covered >= least) continue;
    least = covered;
    place = begin;
  }
  std::vector<std::uint32_t> groups(place, 1);
  groups.insert(groups.end(), sizes.begin(), sizes.end());
  groups.insert(groups.end(), bytes.size() - place - merged, 1);
  return groups;
}

// Returns the sizes of the runs after a pass; adds the bytes that it writes to `rewritten`.
std::vector<std::uint64_t> after_pass(const std::vector<std::uint64_t>& bytes, const std::vector<std::uint32_t>& groups,
                                      std::uint64_t& rewritten) {
  std::vector<std::uint64_t> merged;
  auto next = bytes.begin();
  for (const std::uint32_t group : groups) {
    merged.push_back(std::accumulate(next, next + group, std::uint64_t{0}));
    if (group > 1) rewritten += merged.back();
    next += group;
  }
  return merged;
}

}  // namespace

MergePlan plan_merge(const MergePlanInput& input) {
  MergePlan plan;
  const unsigned threads = std::max(1u, input.threads);
  std::vector<std::uint64_t> bytes = input.run_bytes;
  plan.fan_in = fan_in_of(input);
  if (bytes.size() > 1 && plan.fan_in < 2) refuse(input);
  while (bytes.size() > plan.fan_in && bytes.size() > 1) {
    const std::size_t full_passes_reach = plan.fan_in * plan.fan_in;
    std::vector<std::uint32_t> groups = bytes.size() <= full_passes_reach
                                            ? least_groups(bytes, plan.fan_in)
                                            : even_groups(bytes.size(), (bytes.size() + plan.fan_in - 1) / plan.fan_in);
    bytes = after_pass(bytes, groups, plan.rewritten_bytes);
    plan.passes.push_back(std::move(groups));
  }
  const std::size_t group_bytes = plan.fan_in * run_memory(input) + input.output_bytes;
  const std::size_t by_memory = group_bytes == 0 ? threads : input.memory_bytes / group_bytes;
  const std::size_t by_files = plan.fan_in == 0 ? threads : input.open_files / (plan.fan_in + 1);
  plan.parallel_groups = static_cast<unsigned>(std::clamp<std::size_t>(std::min(by_memory, by_files), 1, threads));
  // In the last pass, all cursors over a run share the open run.
  const std::size_t open_bytes = bytes.size() * input.open_bytes;
  const std::size_t ranges_bytes = minus(input.memory_bytes, open_bytes);
  const std::size_t range_bytes = bytes.size() * input.cursor_bytes + input.output_bytes;
  const std::size_t ranges = range_bytes == 0 ? threads : ranges_bytes / range_bytes;
  plan.last_pass_ranges = static_cast<unsigned>(std::clamp<std::size_t>(ranges, 1, threads));
  plan.last_pass_bytes = open_bytes + plan.last_pass_ranges * range_bytes;
  return plan;
}

std::string MergePlan::describe() const {
  std::string text;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const std::size_t runs = std::accumulate(passes[i].begin(), passes[i].end(), std::size_t{0});
    text += "pass " + std::to_string(i + 1) + ": " + std::to_string(runs) + " runs to " +
            std::to_string(passes[i].size()) + ", at most " +
            std::to_string(*std::max_element(passes[i].begin(), passes[i].end())) + " at a time, " +
            std::to_string(parallel_groups) + " merges side by side; ";
  }
  return text + "last pass: at most " + std::to_string(fan_in) + " runs in " + std::to_string(last_pass_ranges) +
         " term ranges side by side; " + std::to_string(rewritten_bytes) + " bytes rewritten before it";
}

}  // namespace spillway
