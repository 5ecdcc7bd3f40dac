#include "tools/search/stats.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "tools/report/figures.hpp"
#include "tools/report/json.hpp"

namespace spillway {

namespace {

struct Latencies {
  double mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
};

// Percentile p is the smallest latency that is at least as large as p % of all.
Latencies summary(std::vector<double> sorted) {
  if (sorted.empty()) return {};
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](std::size_t percent) { return sorted[(sorted.size() * percent + 99) / 100 - 1]; };
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  return {sum / static_cast<double>(sorted.size()), at(50), at(90), at(95), at(99), sorted.back()};
}

}  // namespace

std::string SearchStats::text() const {
  const Latencies latency = summary(latencies_ms);
  char line[200];
  std::snprintf(line, sizeof line, "mean %.3f, p50 %.3f, p90 %.3f, p95 %.3f, p99 %.3f, max %.3f ms", latency.mean,
                latency.p50, latency.p90, latency.p95, latency.p99, latency.max);
  return "queries          " + count_text(latencies_ms.size()) + "\n" +                                           //
         "latency          " + line + "\n" +                                                                      //
         "postings scored  " + count_text(work.scored_postings) + " of " + count_text(work.query_postings) +      //
         " that an exhaustive scan scores (" + percent_text(work.scored_postings, work.query_postings) + ")\n" +  //
         "lengths read     " + count_text(work.read_lengths) + "\n" +                                             //
         "blocks decoded   " + count_text(work.decoded_blocks) + ", " + count_text(work.frequency_blocks) +
         " of them for frequencies\n";
}

std::string SearchStats::json() const {
  const Latencies latency = summary(latencies_ms);
  return json_line({{"queries", latencies_ms.size()},
                    {"latency_ms",
                     {{"mean", latency.mean},
                      {"p50", latency.p50},
                      {"p90", latency.p90},
                      {"p95", latency.p95},
                      {"p99", latency.p99},
                      {"max", latency.max},
                      {"of_each_query", latencies_ms}}},
                    {"query_postings", work.query_postings},
                    {"scored_postings", work.scored_postings},
                    {"read_lengths", work.read_lengths},
                    {"decoded_blocks", work.decoded_blocks},
                    {"frequency_blocks", work.frequency_blocks}});
}

}  // namespace spillway
