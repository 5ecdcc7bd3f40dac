// Answers queries on several threads and returns the answers in the order of the queries, so that the output does not
// depend on the number of threads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "search/bm25.hpp"
#include "tools/search/output.hpp"
#include "tools/search/query_file.hpp"
#include "tools/search/stats.hpp"

namespace spillway {

enum class QuerySyntax { kPlain, kOperators };
enum class SearchMethod { kPruned, kExhaustive };

struct SearchSettings {
  Bm25Parameters bm25;
  std::size_t k = 10;
  QuerySyntax syntax = QuerySyntax::kPlain;
  SearchMethod method = SearchMethod::kPruned;
  unsigned threads = 1;
  std::function<void()> check = {};  // called after each query; throws to stop. May be empty
};

class QueryRunner {
 public:
  // The indexes, the settings and the output must outlive this.
  QueryRunner(const Collection& collection, const SearchSettings& settings, const SearchOutput& output);
  ~QueryRunner();

  // Takes queries from `next` until it returns nothing, and passes each rendered answer to `write`. Calls both on this
  // thread. A query that fails throws (FormatError, UsageError) after the answers before it are written.
  void run(const std::function<std::optional<QueryLine>()>& next,
           const std::function<void(const RenderedAnswer&)>& write);

  // Answers the query of the command line, which has no id.
  RenderedAnswer answer_one(const std::string& query);

  SearchStats stats() const;

 private:
  class Worker;
  struct Task;
  void answer_all(std::vector<Task>& tasks);
  const SearchSettings& settings_;
  const SearchOutput& output_;
  Bm25 bm25_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<double> latencies_ms_;
};

}  // namespace spillway
