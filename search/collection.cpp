#include "search/collection.hpp"

#include <utility>

#include "io/base/error.hpp"
#include "io/format/content_difference.hpp"

namespace spillway {

namespace {

void refuse_other_terms(const IndexReader& first, const IndexReader& other) {
  for (const ContentDifference& difference : content_differences(first.options(), other.options())) {
    if (!difference.changes_terms) continue;
    throw UsageError("indexes with different terms cannot be searched as one: " + difference.option + " is " +
                     difference.first + " in " + printable(first.directory(), 4096) + " and " + difference.second +
                     " in " + printable(other.directory(), 4096) +
                     ". Search them one by one, or index one of the inputs again with the options of the other");
  }
}

}  // namespace

Collection::Collection(std::vector<const IndexReader*> shards) : shards_(std::move(shards)) {
  for (const IndexReader* shard : shards_) refuse_other_terms(*shards_.front(), *shard);
}

std::uint64_t Collection::documents() const {
  std::uint64_t sum = 0;
  for (const IndexReader* shard : shards_) sum += shard->counts().documents;
  return sum;
}

std::uint64_t Collection::occurrences() const {
  std::uint64_t sum = 0;
  for (const IndexReader* shard : shards_) sum += shard->counts().occurrences;
  return sum;
}

std::uint64_t Collection::number_of(const RankedDocument& ranked) const {
  std::uint64_t number = ranked.document;
  for (std::uint32_t shard = 0; shard < ranked.shard; ++shard) number += shards_[shard]->counts().documents;
  return number;
}

void Collection::check_whole() const {
  for (const IndexReader* shard : shards_) shard->check_whole();
}

Bm25 bm25_of(const Collection& collection, const Bm25Parameters& parameters) {
  IndexCounts counts;
  counts.documents = collection.documents();
  counts.occurrences = collection.occurrences();
  return {counts, parameters};
}

}  // namespace spillway
