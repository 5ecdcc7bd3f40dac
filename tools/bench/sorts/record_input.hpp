// The input of `bench sort records`: one set of keys, alone or with a value each, and the check of what a sorter makes
// of it.
#pragma once

#include <cstdint>
#include <span>

#include "corpora/synthetic/key_set.hpp"
#include "io/memory/budget.hpp"
#include "sort/interface/record_sorter.hpp"

namespace spillway {

enum class RecordForm : std::uint8_t {
  kKeys,  // a record is a key
  kPairs  // a record has a 32-bit key in its lower half, and in its upper half a 32-bit value: the place of the key
};

inline constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 32;
inline constexpr unsigned kMostPairKeyBits = 32;

// The records to sort. Pairs are at most kMostPairs, and their keys have at most kMostPairKeyBits bits.
struct RecordSet {
  KeySetOptions keys;
  RecordForm form = RecordForm::kKeys;
};

// The order that a sorter owes to records with equal keys.
enum class EqualKeys : std::uint8_t { kAnyOrder, kInputOrder };

template <typename Sorter>
EqualKeys equal_keys_of(const Sorter& sorter) {
  return sorter.stable() ? EqualKeys::kInputOrder : EqualKeys::kAnyOrder;
}

// A fingerprint of a multiset of records: two sums of independent mixes, so that a broken sorter cannot keep both by
// accident.
struct Fingerprint {
  std::uint64_t first = 0, second = 0;
  bool operator==(const Fingerprint&) const = default;
};
Fingerprint fingerprint(std::span<const std::uint64_t> records);

// The records of a set, of keys also the same keys sorted, and room for a result. Takes all memory from the budget
// (BudgetError), as does the scratch of the reference sorter.
class RecordInput {
 public:
  // Throws std::invalid_argument for pairs that are not as RecordSet requires.
  RecordInput(const RecordSet& set, unsigned threads, MemoryBudget& budget);

  std::span<const std::uint64_t> records() const { return view(records_); }
  std::span<std::uint64_t> result() { return result_.as<std::uint64_t>(); }
  BitRange bits() const { return {0, bits_}; }
  // Whether `records` is a sorted form of the input. Checks order and permutation; of pairs, that each value is still
  // with its key, and that equal keys have the order that is owed.
  bool is_sorted_form(std::span<const std::uint64_t> records, EqualKeys equal) const;

 private:
  void make_pairs();
  void sort_expected(MemoryBudget& budget);
  static std::span<const std::uint64_t> view(const Buffer& buffer) {
    return {reinterpret_cast<const std::uint64_t*>(buffer.data()), buffer.size() / sizeof(std::uint64_t)};
  }
  const RecordForm form_;
  const unsigned bits_;
  Buffer records_, expected_, result_;  // expected_: of keys only
  Fingerprint fingerprint_;             // of the records
};

// The buffers of a RecordInput, in bytes.
std::uint64_t record_input_bytes(const RecordSet& set);

// Copies records on all threads of the current arena. Requires: equal sizes.
void copy_records(std::span<const std::uint64_t> from, std::span<std::uint64_t> to);

// The sorter whose result the others are compared with.
const RecordSorter& reference_record_sorter();

}  // namespace spillway
