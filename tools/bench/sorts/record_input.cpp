#include "tools/bench/sorts/record_input.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "corpora/synthetic/generate_keys.hpp"
#include "sort/sorters.hpp"
#include "tools/cli/signals.hpp"

namespace spillway {

namespace {

constexpr std::size_t kGrain = std::size_t{1} << 16;

// A fingerprint of a multiset of keys: two sums of independent mixes, so that a broken sorter cannot keep both by
// accident.
struct Fingerprint {
  std::uint64_t first = 0, second = 0;
  bool operator==(const Fingerprint&) const = default;
};

Fingerprint fingerprint(std::span<const std::uint64_t> keys) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, keys.size(), kGrain), Fingerprint{},
      [&](const tbb::blocked_range<std::size_t>& range, Fingerprint sum) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
          SplitMix mixes(keys[i]);
          sum.first += mixes.next();
          sum.second += mixes.next() * mixes.next();
        }
        return sum;
      },
      [](const Fingerprint& a, const Fingerprint& b) {
        return Fingerprint{a.first + b.first, a.second + b.second};
      });
}

// Whether body(begin, end) is true for all ranges of [0, count), in parallel.
template <typename Body>
bool all_of_ranges(std::size_t count, Body body) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, count, kGrain), true,
      [&](const tbb::blocked_range<std::size_t>& range, bool so_far) {
        return so_far && body(range.begin(), range.end());
      },
      [](bool a, bool b) { return a && b; });
}

bool ascend(std::span<const std::uint64_t> keys) {
  return all_of_ranges(keys.size(), [&](std::size_t begin, std::size_t end) {
    return std::is_sorted(keys.data() + begin - (begin == 0 ? 0 : 1), keys.data() + end);
  });
}

}  // namespace

void copy_keys(std::span<const std::uint64_t> from, std::span<std::uint64_t> to) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, from.size(), kGrain),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      std::memcpy(to.data() + range.begin(), from.data() + range.begin(), range.size() * 8);
                    });
}

const RecordSorter& reference_record_sorter() { return *find_record_sorter("cpu-quick"); }

RecordInput::RecordInput(const KeySetOptions& set, unsigned threads, MemoryBudget& budget)
    : bits_(set.bits),
      keys_(budget, set.count * sizeof(std::uint64_t), "the keys of the benchmark"),
      expected_(budget, keys_.size(), "the sorted keys of the benchmark"),
      result_(budget, keys_.size(), "the result of a sorter") {
  fill_keys(KeySet(set), threads, keys_.as<std::uint64_t>());
  const auto expected = expected_.as<std::uint64_t>();
  copy_keys(keys(), expected);
  const RecordSorter& reference = reference_record_sorter();
  const Buffer scratch(budget, reference.scratch_bytes(set.count, bits()), "the scratch of a sorter");
  reference.sort(expected, bits(), {const_cast<std::uint8_t*>(scratch.data()), scratch.size()});
  throw_if_interrupted(received_signal());
  if (!ascend(expected) || fingerprint(expected) != fingerprint(keys())) {
    throw std::logic_error("the reference sorter does not sort");
  }
}

bool RecordInput::is_sorted_form(std::span<const std::uint64_t> keys) const {
  const auto expected = view(expected_);
  return keys.size() == expected.size() && all_of_ranges(keys.size(), [&](std::size_t begin, std::size_t end) {
           return std::equal(keys.data() + begin, keys.data() + end, expected.data() + begin);
         });
}

}  // namespace spillway
