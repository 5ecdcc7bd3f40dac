// What ranks documents for a query, whether it looks at all of them or not.
#pragma once

#include <cstdint>
#include <vector>

#include "search/query.hpp"
#include "search/top_k.hpp"

namespace spillway {

// What searches did; sums over queries.
struct SearchWork {
  std::uint64_t query_postings = 0;    // of all clauses that score: what an exhaustive scan scores
  std::uint64_t scored_postings = 0;   // whose share of a score was computed from their document's length
  std::uint64_t read_lengths = 0;      // of documents, to bound or to score
  std::uint64_t decoded_blocks = 0;    // of documents: up to 128 postings each
  std::uint64_t frequency_blocks = 0;  // decoded for their frequencies

  SearchWork& operator+=(const SearchWork& other) {
    query_postings += other.query_postings;
    scored_postings += other.scored_postings;
    read_lengths += other.read_lengths;
    decoded_blocks += other.decoded_blocks;
    frequency_blocks += other.frequency_blocks;
    return *this;
  }
};

// Not thread-safe; several over one index are fine.
class Ranker {
 public:
  virtual ~Ranker() = default;

  // At most k documents that hold at least one clause that scores, all that are required and no excluded group; best
  // first; equal scores by external id, descending in byte order (and equal ids by number, ascending). The score is a
  // double sum, in the order of the clauses, of Bm25::term_score. Throws FormatError; UsageError for a phrase where the
  // index has no positions.
  virtual std::vector<RankedDocument> best(const Query& query, std::size_t k) = 0;

  // Of all queries so far.
  const SearchWork& work() const { return work_; }

 protected:
  SearchWork work_;
};

}  // namespace spillway
