#include "tools/bench/sorts/record_input.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "corpora/synthetic/generate_keys.hpp"
#include "sort/sorters.hpp"
#include "tools/cli/signals.hpp"

namespace spillway {

namespace {

constexpr std::size_t kGrain = std::size_t{1} << 16;

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

// Whether no neighbours (a, b) are out of order, which out_of_order(a, b) decides.
template <typename OutOfOrder>
bool is_ordered(std::span<const std::uint64_t> records, OutOfOrder out_of_order) {
  return all_of_ranges(records.size(), [&](std::size_t begin, std::size_t end) {
    const std::uint64_t* const first = records.data() + begin - (begin == 0 ? 0 : 1);
    return std::adjacent_find(first, records.data() + end, out_of_order) == records.data() + end;
  });
}

bool ascend(std::span<const std::uint64_t> keys) { return is_ordered(keys, std::greater<std::uint64_t>()); }

// Whether the keys of pairs ascend, and the values of equal keys too where the order of the input is owed to them.
bool are_pairs_ordered(std::span<const std::uint64_t> pairs, EqualKeys equal) {
  if (equal == EqualKeys::kInputOrder) {
    return is_ordered(pairs, [](std::uint64_t a, std::uint64_t b) { return std::rotl(a, 32) >= std::rotl(b, 32); });
  }
  return is_ordered(pairs, [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint32_t>(a) > static_cast<std::uint32_t>(b);
  });
}

const RecordSet& checked(const RecordSet& set) {
  if (set.form == RecordForm::kPairs && (set.keys.bits > kMostPairKeyBits || set.keys.count > kMostPairs)) {
    throw std::invalid_argument("a pair has a key of at most 32 bits, and a place that 32 bits can hold");
  }
  return set;
}

}  // namespace

Fingerprint fingerprint(std::span<const std::uint64_t> records) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, records.size(), kGrain), Fingerprint{},
      [&](const tbb::blocked_range<std::size_t>& range, Fingerprint sum) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
          SplitMix mixes(records[i]);
          sum.first += mixes.next();
          sum.second += mixes.next() * mixes.next();
        }
        return sum;
      },
      [](const Fingerprint& a, const Fingerprint& b) {
        return Fingerprint{a.first + b.first, a.second + b.second};
      });
}

std::uint64_t record_input_bytes(const RecordSet& set) {
  return (set.form == RecordForm::kPairs ? 2 : 3) * set.keys.count * sizeof(std::uint64_t);
}

void copy_records(std::span<const std::uint64_t> from, std::span<std::uint64_t> to) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, from.size(), kGrain),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      std::memcpy(to.data() + range.begin(), from.data() + range.begin(), range.size() * 8);
                    });
}

const RecordSorter& reference_record_sorter() { return *find_record_sorter("cpu-quick"); }

RecordInput::RecordInput(const RecordSet& set, unsigned threads, MemoryBudget& budget)
    : form_(checked(set).form),
      bits_(set.keys.bits),
      records_(budget, set.keys.count * sizeof(std::uint64_t), "the records of the benchmark"),
      result_(budget, records_.size(), "the result of a sorter") {
  fill_keys(KeySet(set.keys), threads, records_.as<std::uint64_t>());
  if (form_ == RecordForm::kPairs) make_pairs();
  fingerprint_ = fingerprint(records());
  if (form_ == RecordForm::kKeys) sort_expected(budget);
}

void RecordInput::make_pairs() {
  const auto pairs = records_.as<std::uint64_t>();
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, pairs.size(), kGrain),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i != range.end(); ++i) pairs[i] |= std::uint64_t{i} << 32;
                    });
}

void RecordInput::sort_expected(MemoryBudget& budget) {
  expected_ = Buffer(budget, records_.size(), "the sorted keys of the benchmark");
  const auto expected = expected_.as<std::uint64_t>();
  copy_records(records(), expected);
  const RecordSorter& reference = reference_record_sorter();
  const Buffer scratch(budget, reference.scratch_bytes(expected.size(), bits()), "the scratch of a sorter");
  reference.sort(expected, bits(), {const_cast<std::uint8_t*>(scratch.data()), scratch.size()});
  throw_if_interrupted(received_signal());
  if (!ascend(expected) || fingerprint(expected) != fingerprint_) {
    throw std::logic_error("the reference sorter does not sort");
  }
}

bool RecordInput::is_sorted_form(std::span<const std::uint64_t> records, EqualKeys equal) const {
  if (records.size() != this->records().size()) return false;
  if (form_ == RecordForm::kPairs) return are_pairs_ordered(records, equal) && fingerprint(records) == fingerprint_;
  const auto expected = view(expected_);
  return all_of_ranges(records.size(), [&](std::size_t begin, std::size_t end) {
    return std::equal(records.data() + begin, records.data() + end, expected.data() + begin);
  });
}

}  // namespace spillway
