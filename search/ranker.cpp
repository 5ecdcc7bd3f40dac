#include "search/ranker.hpp"

namespace spillway {

bool ShardQuery::has_required() const {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (query.clauses[i].is_required && !found[i]) return false;
  }
  return true;
}

std::vector<RankedDocument> Ranker::best(const Query& query, std::size_t k) {
  if (k == 0) return {};
  std::vector<FoundClauses> found;
  std::vector<std::uint64_t> document_counts(query.clauses.size());
  for (std::size_t shard = 0; shard < collection_.size(); ++shard) {
    found.push_back(find_clauses(collection_.shard(shard), query));
    for (std::size_t i = 0; i < document_counts.size(); ++i) {
      if (found.back()[i]) document_counts[i] += found.back()[i]->document_count();
    }
  }
  std::vector<double> weights;
  for (std::size_t i = 0; i < document_counts.size(); ++i) {
    weights.push_back(bm25_.weight(document_counts[i], query.clauses[i].count));
  }
  TopK best(collection_, k);
  for (std::uint32_t shard = 0; shard < collection_.size(); ++shard) {
    ShardQuery of_shard{query, shard, std::move(found[shard]), weights};
    if (of_shard.has_required()) search(std::move(of_shard), best);
  }
  std::vector<RankedDocument> ranking = best.take();
  collection_.check_whole();
  return ranking;
}

}  // namespace spillway
