// How fast the queries of one `search` were answered, and the work that they took: for --stats.
#pragma once

#include <string>
#include <vector>

#include "search/ranker.hpp"

namespace spillway {

struct SearchStats {
  std::vector<double> latencies_ms;  // one per query, in input order: parsing and ranking, without input and output
  SearchWork work;

  // Lines for people.
  std::string text() const;
  // One line: {"queries", "latency_ms": {"mean", "p50", "p90", "p95", "p99", "max", "of_each_query": [...]},
  // "query_postings", "scored_postings", "read_lengths", "decoded_blocks", "frequency_blocks"}.
  std::string json() const;
};

}  // namespace spillway
