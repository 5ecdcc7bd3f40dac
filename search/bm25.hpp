// The BM25 formula (docs/search.md): how much a term adds to the score of a document, and how much it adds at most to
// any document of a block.
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

  // ln(1 + (N - df + .5) / (df + .5)), times the occurrences of the term in the query.
  double weight(std::uint64_t document_count, std::uint32_t query_count) const;

  // How much a term with this weight and frequency adds to the score of a document with this length.
  double term_score(double weight, std::uint32_t frequency, std::uint32_t length) const {
    const double tf = frequency;
    return weight * tf / (tf + k1_ * (1 - b_ + b_ * length / mean_length_));
  }

  // Returns a bound that is at least term_score(1, tf, length) for every tf and length that the two codes stand for.
  float bound(std::uint8_t frequency_code, std::uint8_t length_code) const {
    return bounds(frequency_code)[length_code];
  }
  // The same for all 256 length codes.
  const float* bounds(std::uint8_t frequency_code) const { return bounds_.data() + (std::size_t{frequency_code} << 8); }
  // A float that is at least `score`, whatever rounding happened in computing it.
  static float rounded_up(double score) { return static_cast<float>(score * (1 + 0x1p-21)); }
  // Relative error of a sum of `terms` bounds, added as floats in any order: it may be too small by this fraction.
  static double slack(std::size_t terms) { return static_cast<double>(terms + 4) * 0x1p-23; }

 private:
  double documents_, k1_, b_, mean_length_;
  std::vector<float> bounds_;
};

}  // namespace spillway
