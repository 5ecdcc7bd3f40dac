#include "tests/support/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <stdexcept>

namespace spillway::testing {

namespace {

std::ifstream open_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  return file;
}

double discounted(int gain, std::size_t rank) { return gain / std::log2(static_cast<double>(rank + 1)); }

// The gain of the best possible ten results.
double ideal_gain(const std::map<std::string, int>& grades) {
  std::vector<int> gains;
  for (const auto& [document, grade] : grades) {
    if (grade > 0) gains.push_back(grade);
  }
  std::sort(gains.begin(), gains.end(), std::greater<>());
  double sum = 0;
  for (std::size_t rank = 1; rank <= std::min<std::size_t>(10, gains.size()); ++rank) {
    sum += discounted(gains[rank - 1], rank);
  }
  return sum;
}

}  // namespace

Judgements read_judgements(const std::string& path) {
  std::ifstream file = open_text(path);
  Judgements judgements;
  std::string query, iteration, document;
  int grade = 0;
  while (file >> query >> iteration >> document >> grade) judgements[query][document] = grade;
  return judgements;
}

std::vector<Query> read_queries(const std::string& path) {
  std::ifstream file = open_text(path);
  std::vector<Query> queries;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) throw std::runtime_error(path + ": a line without a tab");
    queries.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return queries;
}

bool Evaluation::counts(const std::string& query) const {
  const auto found = judgements_.find(query);
  return found != judgements_.end() &&
         std::any_of(found->second.begin(), found->second.end(), [](const auto& entry) { return entry.second > 0; });
}

void Evaluation::add(const std::string& query, const std::vector<std::string>& ranking) {
  const std::map<std::string, int>& grades = judgements_.at(query);
  const auto relevant = static_cast<double>(
      std::count_if(grades.begin(), grades.end(), [](const auto& entry) { return entry.second > 0; }));
  double hits = 0, precision_sum = 0, gain = 0;
  for (std::size_t rank = 1; rank <= ranking.size(); ++rank) {
    const auto judged = grades.find(ranking[rank - 1]);
    if (judged == grades.end() || judged->second <= 0) continue;
    hits += 1;
    precision_sum += hits / static_cast<double>(rank);
    if (rank <= 10) gain += discounted(judged->second, rank);
    if (rank <= 10) sums_.p_10 += 1.0 / 10;
    if (rank <= 30) sums_.p_30 += 1.0 / 30;
    if (rank <= 100) sums_.recall_100 += 1 / relevant;
  }
  sums_.map += precision_sum / relevant;
  sums_.ndcg_10 += gain / ideal_gain(grades);
  sums_.recall_1000 += hits / relevant;
  ++sums_.queries;
}

Quality Evaluation::quality() const {
  Quality mean = sums_;
  const auto count = static_cast<double>(sums_.queries);
  for (double* value : {&mean.map, &mean.ndcg_10, &mean.p_10, &mean.p_30, &mean.recall_100, &mean.recall_1000}) {
    *value /= count;
  }
  return mean;
}

}  // namespace spillway::testing
