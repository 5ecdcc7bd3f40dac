// The best documents of a collection for a query: what all rankers have in common.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "search/bm25.hpp"
#include "search/clause_postings.hpp"
#include "search/collection.hpp"
#include "search/query.hpp"
#include "search/top_k.hpp"

namespace spillway {

// The work of searches, summed over queries.
struct SearchWork {
  std::uint64_t query_postings = 0;    // postings of all clauses that score, which an exhaustive scan scores
  std::uint64_t scored_postings = 0;   // postings that were scored
  std::uint64_t read_lengths = 0;      // document lengths read for bounds and scores
  std::uint64_t decoded_blocks = 0;    // blocks of up to 128 postings decoded for their documents
  std::uint64_t frequency_blocks = 0;  // blocks decoded for their frequencies

  SearchWork& operator+=(const SearchWork& other) {
    query_postings += other.query_postings;
    scored_postings += other.scored_postings;
    read_lengths += other.read_lengths;
    decoded_blocks += other.decoded_blocks;
    frequency_blocks += other.frequency_blocks;
    return *this;
  }
};

// A query as one shard of a collection is searched for it.
struct ShardQuery {
  const Query& query;
  std::uint32_t shard;
  FoundClauses found;               // in the shard, by clause
  std::span<const double> weights;  // over the collection, by clause
  // Whether some document of the shard may contain all clauses that are required.
  bool has_required() const;
};

// Not thread-safe. Several rankers may share indexes. The formula, which is that of the collection (bm25_of), must
// outlive the ranker.
class Ranker {
 public:
  Ranker(Collection collection, const Bm25& bm25) : collection_(std::move(collection)), bm25_(bm25) {}
  virtual ~Ranker() = default;

  // Returns at most k documents, best first. Each contains at least one clause that scores, all required clauses and no
  // excluded group. Equal scores are ordered by external id, descending in byte order, and equal ids by number,
  // ascending. A score is the double sum of Bm25::term_score in the order of the clauses. Throws FormatError, and
  // UsageError for a phrase in an index without positions.
  std::vector<RankedDocument> best(const Query& query, std::size_t k);

  // Offers the shard's documents that may be among the best.
  virtual void search(ShardQuery query, TopK& best) = 0;

  // Sums over all queries so far.
  const SearchWork& work() const { return work_; }

 protected:
  const Collection collection_;
  const Bm25& bm25_;
  SearchWork work_;
};

}  // namespace spillway
