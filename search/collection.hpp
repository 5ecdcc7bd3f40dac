// Indexes that are searched as one. Documents, their lengths and the lists of terms are counted over all of them, so
// documents have the scores and the order that they have in the index which `spillway merge` makes of these indexes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/index/reader.hpp"
#include "search/bm25.hpp"

namespace spillway {

struct RankedDocument {
  std::uint32_t document = 0;  // in its index
  double score = 0;
  std::uint32_t shard = 0;  // the number of its index
};

// Immutable; thread-safe. Refers to its indexes (shards), which must outlive it and all copies.
class Collection {
 public:
  // A collection of one index.
  Collection(const IndexReader& index) : shards_{&index} {}  // NOLINT(google-explicit-constructor)
  // Documents of earlier shards come first. Throws UsageError if the shards have different terms for the same text.
  // Requires: at least one shard.
  explicit Collection(std::vector<const IndexReader*> shards);

  std::size_t size() const { return shards_.size(); }
  const IndexReader& shard(std::size_t number) const { return *shards_[number]; }
  const IndexReader& shard_of(const RankedDocument& ranked) const { return *shards_[ranked.shard]; }
  // Of the first shard. All have the same tokenizer, stop list, stemmer and limit of terms, and versions of these.
  const ContentOptions& options() const { return shards_.front()->options(); }
  // Sums over all shards.
  std::uint64_t documents() const;
  std::uint64_t occurrences() const;
  // The document's number in the merged index, where the documents of shards follow each other.
  std::uint64_t number_of(const RankedDocument& ranked) const;
  // As IndexReader has it, for all shards.
  void check_whole() const;

 private:
  std::vector<const IndexReader*> shards_;
};

// The formula for a collection.
Bm25 bm25_of(const Collection& collection, const Bm25Parameters& parameters);

}  // namespace spillway
