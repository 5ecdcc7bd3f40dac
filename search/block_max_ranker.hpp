// BM25 search that skips documents that cannot be among the best k: MaxScore (Turtle and Flood, "Query evaluation:
// strategies and optimizations", 1995) over ranges of documents with block bounds (Ding and Suel, "Faster top-k
// document retrieval using block-max indexes", 2011). Ranges are searched by falling bound (Mackenzie, Petri and
// Moffat, "Anytime ranking on document-ordered indexes", 2022). The result equals that of ExhaustiveRanker, bit for
// bit.
//
// A range is skipped if the sum of the bounds of its lists is below the k-th score. Inside a range, a list is required
// if the other lists cannot reach the k-th score without it. The candidates are the intersection of the required lists;
// without required lists, they are the union of enough lists that the others cannot reach the k-th score alone.
// Candidates that may still reach it are scored exactly.
//
// Time at worst O(postings of the query + ranges * clauses); memory 9 bytes per range and clause, 5 bytes per document
// of a range and clause, and the documents of sparse lists. Queries of more than 512 clauses are scanned exhaustively,
// which bounds the memory.
#pragma once

#include <vector>

#include "search/range_list.hpp"
#include "search/ranker.hpp"

namespace spillway {

// Not thread-safe.
class BlockMaxRanker final : public Ranker {
 public:
  // Ranges have 2^range_bits documents (6 to 16); 0 chooses by the size of each index.
  BlockMaxRanker(Collection collection, const Bm25& bm25, unsigned range_bits = 0)
      : Ranker(std::move(collection), bm25), range_bits_(range_bits) {}

  void search(ShardQuery query, TopK& best) override;

 private:
  class Search;
  unsigned range_bits_;
};

}  // namespace spillway
