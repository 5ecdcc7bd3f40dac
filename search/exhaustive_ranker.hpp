// BM25 over an index by an exhaustive scan: every posting of the query is scored. This is the reference for the results
// of a search (docs/search.md); search/block_max_ranker.hpp returns the same, bit for bit, in less time. Time
// O(postings of the query), plus O(log k) per document that enters the best k.
#pragma once

#include <cstdint>
#include <vector>

#include "search/ranker.hpp"

namespace spillway {

// Not thread-safe: keeps its accumulators (768 KiB) between queries.
class ExhaustiveRanker final : public Ranker {
 public:
  ExhaustiveRanker(Collection collection, const Bm25& bm25);

  void search(ShardQuery query, TopK& best) override;

 private:
  class ListScan;
  class Search;
  std::vector<double> scores_;        // by document of the range; 0: it contains no clause
  std::vector<std::uint32_t> marks_;  // by document: how many required clauses, or clauses of a group, it contains
};

}  // namespace spillway
