// The formula that ranks (design section 7): what a term adds to a document's score, and what it adds at most to any
// document of a block. Exact and bounding searches take both from here.
#pragma once

#include <cstdint>
#include <vector>

#include "io/format/index_types.hpp"
#include "io/postings/list_encoder.hpp"

namespace spillway {

struct Bm25Parameters {
  double k1 = 0.9;  // >= 0
  double b = 0.4;   // in [0, 1]
};

// Immutable; thread-safe.
class Bm25 {
 public:
  Bm25(const IndexCounts& counts, const Bm25Parameters& parameters);

  // ln(1 + (N - df + .5) / (df + .5)), times the term's occurrences in the query.
  double weight(std::uint64_t document_count, std::uint32_t query_count) const;

  double term_score(double weight, std::uint32_t frequency, std::uint32_t length) const {
    const double tf = frequency;
    return weight * tf / (tf + k1_ * (1 - b_ + b_ * length / mean_length_));
  }

  // Not below term_score(1, tf, length) for any tf and length that the codes of a block's bound stand for.
  float bound(std::uint8_t frequency_code, std::uint8_t length_code) const {
    return bounds(frequency_code)[length_code];
  }
  // The same for all 256 length codes.
  const float* bounds(std::uint8_t frequency_code) const { return bounds_.data() + (std::size_t{frequency_code} << 8); }
  // `term_score` as a bound: a float that is not below it, for any rounding on the way.
  static float rounded_up(double share) { return static_cast<float>(share * (1 + 0x1p-21)); }
  // By which share a sum of `terms` bounds, added as floats in any order, may be too small.
  static double slack(std::size_t terms) { return static_cast<double>(terms + 4) * 0x1p-23; }

 private:
  double documents_, k1_, b_, mean_length_;
  std::vector<float> bounds_;
};

}  // namespace spillway
