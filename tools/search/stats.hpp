// How fast the queries of one `search` were answered, and what that took: for --stats.
#pragma once

#include <string>
#include <vector>

#include "search/ranker.hpp"

namespace spillway {

struct SearchStats {
  std::vector<double> latencies_ms;  // of each query: from its text to its ranking, without reading and writing
  SearchWork work;

  // Lines for people.
  std::string text() const;
  // {"queries", "latency_ms": {"mean", "p50", "p90", "p99", "max"}, "query_postings", "scored_postings",
  // "read_lengths", "decoded_blocks", "frequency_blocks"}, a line.
  std::string json() const;
};

}  // namespace spillway
