// BM25 over an index: the best k documents for a query, by an exhaustive scan. The formula is that of design section 7,
// and the order of every sum is fixed, so that any other search over the same index can be compared bit for bit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/analyzer.hpp"
#include "indexer/best_documents.hpp"
#include "indexer/bm25.hpp"
#include "indexer/query.hpp"
#include "io/index_reader.hpp"

namespace spillway {

// The terms of a query in the order of their first occurrence.
std::vector<QueryTerm> query_terms(Analyzer& analyzer, std::string_view query);

// Not thread-safe: keeps its accumulators (512 KiB) from query to query. The index and the formula live longer.
class Bm25Ranker {
 public:
  Bm25Ranker(const IndexReader& index, const Bm25& bm25);

  // At most k documents that hold at least one of the terms, best first; equal scores by external id, descending in
  // byte order (and equal ids by number, ascending). The score is a double sum, in the order of `terms`, of
  // count * ln(1 + (N - df + .5) / (df + .5)) * tf / (tf + k1 * (1 - b + b * length / mean)). Throws FormatError.
  std::vector<RankedDocument> best(std::span<const QueryTerm> terms, std::size_t k);

 private:
  class TermScan;
  const IndexReader& index_;
  const Bm25& bm25_;
  std::vector<double> scores_;  // of the window's documents; 0: holds none of the terms
};

}  // namespace spillway
