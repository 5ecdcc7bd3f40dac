// Decides whether the lists of blocks stay on the GPU alone, from what a block of the job says of all others.
#pragma once

#include <cstdint>

namespace spillway {

// Whether processors would merge lists into an index for so long that lanes of GPUs are worth their start.
// `occurrences`: of lists with positions.
constexpr bool is_long_merge(double postings, double occurrences, unsigned threads) {
  constexpr double kLeastSeconds = 0.1, kPostingSeconds = 9e-9, kOccurrenceSeconds = 4e-9;  // of one thread
  return (kPostingSeconds * postings + kOccurrenceSeconds * occurrences) / threads >= kLeastSeconds;
}

// Lets lists stay if GPUs will most likely merge them: then no processor reads them.
struct StayingRule {
  std::uint64_t text_bytes = 0;  // of the job, expected; 0: no lists stay
  std::uint64_t list_bytes = 0;  // of all its lists, expected
  unsigned threads = 1;
  bool merges_always = false;  // however short the merge is
  bool positions = false;

  // Takes the counts of a block. Requires: it has occurrences.
  bool lets_stay(std::uint64_t postings, std::uint64_t occurrences) const {
    constexpr double kTextBytes = 7;  // of an occurrence: source code as JSON has 7.6, generated text 5.5
    if (text_bytes == 0) return false;
    const double of_job = static_cast<double>(text_bytes) / kTextBytes;
    const double in_block = static_cast<double>(postings) / static_cast<double>(occurrences);
    return merges_always || is_long_merge(in_block * of_job, positions ? of_job : 0, threads);
  }
};

}  // namespace spillway
