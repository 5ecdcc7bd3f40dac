// Retrieval quality of ranked lists against relevance judgements, computed like the reference scores of the
// collections: queries without a relevant document are left out, and gains are the judged grades.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace spillway::testing {

using Judgements = std::map<std::string, std::map<std::string, int>>;  // query id -> document id -> grade

struct Query {
  std::string id, text;
};

struct Quality {
  std::size_t queries = 0;
  double map = 0, ndcg_10 = 0, p_10 = 0, p_30 = 0, recall_100 = 0, recall_1000 = 0;
};

// Read the collections' files: lines of "query iteration document grade", and of "id<TAB>text". Throw
// std::runtime_error.
Judgements read_judgements(const std::string& path);
std::vector<Query> read_queries(const std::string& path);

class Evaluation {
 public:
  explicit Evaluation(Judgements judgements) : judgements_(std::move(judgements)) {}
  // Returns whether the query counts: it was judged and has a relevant document.
  bool counts(const std::string& query) const;
  // `ranking`: external ids, best first, at most 1000. Requires: counts(query).
  void add(const std::string& query, const std::vector<std::string>& ranking);
  // Means over the queries added.
  Quality quality() const;

 private:
  Judgements judgements_;
  Quality sums_;
};

}  // namespace spillway::testing
