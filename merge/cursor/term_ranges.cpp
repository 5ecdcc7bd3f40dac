#include "merge/cursor/term_ranges.hpp"

#include <algorithm>

namespace spillway {

namespace {

// Samples of all inputs together: enough for a range that ranges come out even, and bounded, because they take memory.
constexpr std::size_t kSamplesOfRange = 32, kMostSamples = 16384;
constexpr std::size_t kLeastSamples = 16;  // of each input, whatever the bound
constexpr std::uint64_t kEntryWeight = 8;  // an entry costs about as much as this many postings

struct WeightedTerm {
  std::string term;
  double weight;
};

std::size_t samples_of_each(std::size_t input_count, std::size_t range_count) {
  return std::max(kLeastSamples, std::min(kMostSamples, kSamplesOfRange * range_count) / input_count);
}

// The samples are spread roughly evenly over an input's bytes, so each stands for an equal share of its weight.
void add_samples(const MergeInput& input, std::size_t most, std::vector<WeightedTerm>& all) {
  std::vector<TermSample> samples = input.term_samples();
  const std::size_t stride = std::max<std::size_t>(1, (samples.size() + most - 1) / most);
  const std::size_t taken = (samples.size() + stride - 1) / stride;
  const RunSummary& summary = input.summary();
  const double total = static_cast<double>(summary.posting_count) +
                       static_cast<double>(kEntryWeight) * static_cast<double>(summary.entry_count);
  for (std::size_t i = 0; i < samples.size(); i += stride) {
    all.push_back({std::move(samples[i].first_term), total / static_cast<double>(taken)});
  }
}

}  // namespace

std::vector<std::string> choose_term_splitters(std::span<const MergeInput* const> inputs, std::size_t range_count) {
  std::vector<WeightedTerm> all;
  if (range_count <= 1) return {};
  const std::size_t most = samples_of_each(inputs.size(), range_count);
  all.reserve(inputs.size() * most);
  for (const MergeInput* input : inputs) add_samples(*input, most, all);
  std::sort(all.begin(), all.end(), [](const WeightedTerm& a, const WeightedTerm& b) { return a.term < b.term; });
  double total = 0;
  for (const WeightedTerm& sample : all) total += sample.weight;
  std::vector<std::string> splitters;
  double before = 0;  // weight of the samples before this one
  for (const WeightedTerm& sample : all) {
    const double wanted = total * static_cast<double>(splitters.size() + 1) / static_cast<double>(range_count);
    const bool ascends = !sample.term.empty() && (splitters.empty() || splitters.back() < sample.term);
    if (before >= wanted && ascends && splitters.size() + 1 < range_count) splitters.push_back(sample.term);
    before += sample.weight;
  }
  return splitters;
}

std::size_t splitter_memory_bytes(std::size_t input_count, std::size_t range_count) {
  if (range_count <= 1 || input_count == 0) return 0;
  constexpr std::size_t kTextBytes = kSampleTermBytes + 32;  // 32: the allocator's share
  return input_count * samples_of_each(input_count, range_count) * (sizeof(WeightedTerm) + kTextBytes) +
         2 * range_count * (sizeof(std::string) + kTextBytes);
}

}  // namespace spillway
