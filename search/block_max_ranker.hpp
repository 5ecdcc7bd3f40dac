// BM25 search that skips what cannot be among the best k: MaxScore (Turtle and Flood, "Query evaluation: strategies and
// optimizations", 1995) over ranges of documents with block bounds (Ding and Suel, "Faster top-k document retrieval
// using block-max indexes", 2011), where ranges are visited by falling bound (Mackenzie, Petri and Moffat, "Anytime
// ranking on document-ordered indexes", 2022). It returns what ExhaustiveRanker returns, bit for bit.
//
// A range is skipped where the sum of its lists' bounds is below the k-th score. Inside a range, a list without which
// the sum stays below it is required: candidates are the intersection of the required lists, or, if there are none,
// the union of those that the rest does not reach the k-th score without. Only what passes is scored, exactly. Queries
// of more than 512 clauses are scanned, so that memory stays bounded.
#pragma once

#include <vector>

#include "search/range_list.hpp"
#include "search/ranker.hpp"

namespace spillway {

// Not thread-safe. The index and the formula live longer.
class BlockMaxRanker final : public Ranker {
 public:
  // range_bits: documents of a range, as a power of two (6 to 16); 0: by the size of the index.
  BlockMaxRanker(const IndexReader& index, const Bm25& bm25, unsigned range_bits = 0);

  std::vector<RankedDocument> best(const Query& query, std::size_t k) override;

 private:
  class Search;
  const IndexReader& index_;
  const Bm25& bm25_;
  RangeGrid grid_;
};

}  // namespace spillway
