// BM25 over an index by an exhaustive scan: every posting of the query is scored. It is the plain statement of what a
// search returns (design section 7); search/block_max_ranker.hpp returns the same, bit for bit, in less time.
#pragma once

#include <cstdint>
#include <vector>

#include "io/index/reader.hpp"
#include "search/bm25.hpp"
#include "search/ranker.hpp"

namespace spillway {

// Not thread-safe: keeps its accumulators (768 KiB) from query to query. The index and the formula live longer.
class ExhaustiveRanker final : public Ranker {
 public:
  ExhaustiveRanker(const IndexReader& index, const Bm25& bm25);

  std::vector<RankedDocument> best(const Query& query, std::size_t k) override;

 private:
  class ListScan;
  class Search;
  const IndexReader& index_;
  const Bm25& bm25_;
  std::vector<double> scores_;        // of the window's documents; 0: holds none of the clauses
  std::vector<std::uint32_t> marks_;  // of required clauses, or of the clauses of a group, that they hold
};

}  // namespace spillway
