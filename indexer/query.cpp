#include "indexer/query.hpp"

namespace spillway {

Query query_of(const std::vector<QueryTerm>& terms) {
  Query query;
  for (const QueryTerm& term : terms) query.parts.push_back({{{term.term, 0}}, term.count, false});
  return query;
}

}  // namespace spillway
