#include "search/bm25.hpp"

#include <cmath>

namespace spillway {

Bm25::Bm25(const IndexCounts& counts, const Bm25Parameters& parameters)
    : documents_(static_cast<double>(counts.documents)),
      k1_(parameters.k1),
      b_(parameters.b),
      mean_length_(static_cast<double>(counts.occurrences) / static_cast<double>(counts.documents)),
      bounds_(std::size_t{1} << 16) {
  for (unsigned frequency = 0; frequency < 256; ++frequency) {
    for (unsigned length = 0; length < 256; ++length) {
      const std::uint32_t tf = frequency_of_code(static_cast<std::uint8_t>(frequency));
      const std::uint32_t least = length_of_code(static_cast<std::uint8_t>(length));
      if (tf != 0) bounds_[frequency << 8 | length] = rounded_up(term_score(1, tf, least));
    }
  }
}

double Bm25::weight(std::uint64_t document_count, std::uint32_t query_count) const {
  const auto df = static_cast<double>(document_count);
  return query_count * std::log(1 + (documents_ - df + .5) / (df + .5));
}

}  // namespace spillway
