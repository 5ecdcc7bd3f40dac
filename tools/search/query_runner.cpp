#include "tools/search/query_runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "io/base/error.hpp"
#include "search/block_max_ranker.hpp"
#include "search/exhaustive_ranker.hpp"

namespace spillway {

namespace {

// Queries per thread in a batch: enough that threads wait little for the slowest one at its end.
constexpr std::size_t kBatchQueries = 64;
// Bounds the hits per thread in a batch, since their lines wait in memory.
constexpr std::size_t kBatchHits = std::size_t{1} << 18;

std::unique_ptr<Ranker> ranker_of(const Collection& collection, const Bm25& bm25, SearchMethod method) {
  if (method == SearchMethod::kExhaustive) return std::make_unique<ExhaustiveRanker>(collection, bm25);
  return std::make_unique<BlockMaxRanker>(collection, bm25);
}

}  // namespace

// A query and its answer or failure.
struct QueryRunner::Task {
  const std::string* id;
  std::string query;
  RenderedAnswer rendered;
  double latency_ms = 0;
  std::exception_ptr failure;
};

// The state of one thread.
class QueryRunner::Worker {
 public:
  Worker(const Collection& collection, const Bm25& bm25, const SearchSettings& settings, const SearchOutput& output)
      : settings_(settings),
        output_(output),
        analyzer_(collection.options()),
        ranker_(ranker_of(collection, bm25, settings.method)) {}

  const SearchWork& work() const { return ranker_->work(); }

  void answer(Task& task) try {
    SearchAnswer answer;
    answer.id = task.id;
    answer.query = task.query;
    const auto begin = std::chrono::steady_clock::now();
    const Query query = settings_.syntax == QuerySyntax::kOperators ? parse_query(analyzer_, task.query)
                                                                    : query_of(query_terms(analyzer_, task.query));
    answer.ranking = ranker_->best(query, settings_.k);
    task.latency_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    if (settings_.check) settings_.check();
    answer.terms = found_by(query);
    task.rendered = output_.render(answer);
  } catch (const UsageError& error) {
    const std::string named = task.id == nullptr ? "" : "query " + printable(*task.id) + ": ";
    task.failure = std::make_exception_ptr(UsageError(named + error.what()));
  } catch (...) {
    task.failure = std::current_exception();
  }

 private:
  const SearchSettings& settings_;
  const SearchOutput& output_;
  Analyzer analyzer_;
  std::unique_ptr<Ranker> ranker_;
};

QueryRunner::QueryRunner(const Collection& collection, const SearchSettings& settings, const SearchOutput& output)
    : settings_(settings), output_(output), bm25_(bm25_of(collection, settings.bm25)) {
  for (unsigned i = 0; i < settings.threads; ++i) {
    workers_.push_back(std::make_unique<Worker>(collection, bm25_, settings_, output_));
  }
}

QueryRunner::~QueryRunner() = default;

RenderedAnswer QueryRunner::answer_one(const std::string& query) {
  std::vector<Task> tasks(1);
  tasks[0].id = nullptr;
  tasks[0].query = query;
  answer_all(tasks);
  return tasks[0].rendered;
}

// Leaves failures in the tasks; throws only if there is a single task.
void QueryRunner::answer_all(std::vector<Task>& tasks) {
  if (workers_.size() == 1 || tasks.size() == 1) {
    for (Task& task : tasks) workers_[0]->answer(task);
  } else {
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> threads;
    for (const auto& worker : workers_) {
      threads.emplace_back([&tasks, &next, &worker] {
        for (std::size_t i = next++; i < tasks.size(); i = next++) worker->answer(tasks[i]);
      });
    }
  }
  for (const Task& task : tasks) {
    if (task.failure != nullptr) break;
    latencies_ms_.push_back(task.latency_ms);
  }
  if (tasks.size() == 1 && tasks[0].failure != nullptr) std::rethrow_exception(tasks[0].failure);
}

void QueryRunner::run(const std::function<std::optional<QueryLine>()>& next,
                      const std::function<void(const RenderedAnswer&)>& write) {
  const std::size_t batch =
      workers_.size() == 1 ? 1 : workers_.size() * std::clamp<std::size_t>(kBatchHits / settings_.k, 1, kBatchQueries);
  std::vector<QueryLine> queries;
  std::exception_ptr unreadable;  // an error of `next`, thrown after the queries before it are answered
  while (unreadable == nullptr) {
    queries.clear();
    try {
      while (queries.size() < batch) {
        auto query = next();
        if (!query) break;
        queries.push_back(std::move(*query));
      }
    } catch (...) {
      unreadable = std::current_exception();
    }
    std::vector<Task> tasks;
    tasks.reserve(queries.size());
    for (QueryLine& query : queries) tasks.push_back({&query.id, std::move(query.text), {}, 0, nullptr});
    if (tasks.empty()) break;
    answer_all(tasks);
    for (const Task& task : tasks) {
      if (task.failure != nullptr) std::rethrow_exception(task.failure);
      write(task.rendered);
    }
  }
  if (unreadable != nullptr) std::rethrow_exception(unreadable);
}

SearchStats QueryRunner::stats() const {
  SearchStats stats;
  stats.latencies_ms = latencies_ms_;
  for (const auto& worker : workers_) stats.work += worker->work();
  return stats;
}

}  // namespace spillway
