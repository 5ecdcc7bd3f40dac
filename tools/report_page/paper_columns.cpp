#include "tools/report_page/paper_columns.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace spillway {

namespace {

using Times = std::map<std::string, double>;  // by set or collection

// Columns of times by set: how many times as fast `fast` is as the fastest of `slow`.
struct Columns {
  const char *paper, *item, *name;
  std::vector<std::string> paper_slow;
  std::string paper_fast;
  std::vector<std::string> slow;
  std::string fast;
};

const std::vector<Columns>& all_columns() {
  static const std::string kForm = "gpu-string-radix:paper", kFixed = kForm + ", ids of 4 bytes";
  static const std::vector<Columns> kAll{{"deshpande2013",
                                          "table II",
                                          "Deshpande table II: radix to Thrust's sort",
                                          {"Thrust's sort, without memory set-up"},
                                          "radix sort of strings, without memory set-up",
                                          {"gpu-string-thrust"},
                                          kForm},
                                         {"deshpande2013",
                                          "table III",
                                          "Deshpande table III: singletons removed",
                                          {"without"},
                                          "with removal",
                                          {kFixed + ", singletons kept"},
                                          kFixed},
                                         {"deshpande2013",
                                          "table IV",
                                          "Deshpande table IV: adaptive ids to fixed",
                                          {"fixed width"},
                                          "adaptive width",
                                          {kFixed},
                                          kForm},
                                         {"deshpande2013",
                                          "table VIII",
                                          "Deshpande table VIII: GPU to the faster CPU",
                                          {"burstsort", "MSD radix sort"},
                                          "the paper's GPU sort, with memory set-up",
                                          {"cpu-msd", "cpu-multikey"},
                                          "gpu-string-radix"}};
  return kAll;
}

Times paper_times(const JsonView& item, const std::string& series) {
  Times times;
  for (const JsonView& one : item.at("paper_figures").items()) {
    if (one.at("name").text() != series) continue;
    for (const JsonView& point : one.at("points").items()) times[point.at("at").text()] = point.at("value").number();
  }
  return times;
}

// The clocks of a sort tell the time of its steps together, as in the paper, or of the whole sort.
enum class Clock : std::uint8_t { kSteps, kWhole };

double seconds_of(const JsonView& sorter, Clock clock) {
  if (clock == Clock::kWhole) {
    const auto whole = sorter.value_at("sort_seconds");
    return whole ? whole->middle : 0;
  }
  double seconds = 0;
  if (const auto steps = sorter.find("steps")) {
    for (const JsonView& step : steps->items()) {
      if (const auto value = step.value_at("wall_seconds")) seconds += value->middle;
    }
  }
  return seconds;
}

Times times_here(const JsonView& item, const std::string& name, Clock clock) {
  Times times;
  for (const JsonView& run : item.at("runs").items()) {
    if (run.at("kind").text() != "strings") continue;
    for (const JsonView& one : run.at("cases").items()) {
      for (const JsonView& sorter : one.at("sorters").items()) {
        if (sorter.at("sorter").text() == name) times[one.at("set").text()] = seconds_of(sorter, clock);
      }
    }
  }
  return times;
}

// The least of all columns, for each set that all of them have.
Times fastest(const std::vector<Times>& columns) {
  Times least = columns.front();
  for (const Times& column : columns) {
    std::erase_if(least, [&](const auto& one) { return !column.contains(one.first); });
    for (auto& [set, time] : least) time = std::min(time, column.at(set));
  }
  return least;
}

// Over the sets that `slow`, `fast` and `others` have.
double mean_ratio(const Times& slow, const Times& fast, const Times& others) {
  double logarithms = 0, sets = 0;
  for (const auto& [set, time] : slow) {
    const auto found = fast.find(set);
    if (found == fast.end() || !others.contains(set) || !(time > 0) || !(found->second > 0)) continue;
    logarithms += std::log(time / found->second);
    ++sets;
  }
  return sets > 0 ? std::exp(logarithms / sets) : 0;
}

std::optional<ColumnRatio> ratio_of(const JsonView& item, const Columns& columns) {
  std::vector<Times> paper_slow;
  for (const std::string& name : columns.paper_slow) paper_slow.push_back(paper_times(item, name));
  const Times then = fastest(paper_slow);
  for (const Clock clock : {Clock::kSteps, Clock::kWhole}) {  // the same for all of them
    std::vector<Times> slow;
    for (const std::string& name : columns.slow) slow.push_back(times_here(item, name, clock));
    const Times now = fastest(slow);
    const ColumnRatio ratio{columns.name, mean_ratio(then, paper_times(item, columns.paper_fast), now),
                            mean_ratio(now, times_here(item, columns.fast, clock), then)};
    if (ratio.paper > 0 && ratio.here > 0) return ratio;
  }
  return std::nullopt;
}

// Seconds of the halves of a job, by indexer: Index_cpu, Index_gpu, Index_gpu+.
struct Job {
  std::string collection;
  std::map<std::string, std::pair<double, double>> halves = {};

  double ingest_gain(const std::string& indexer) const {
    return gain(indexer, [](const auto& half) { return half.first; });
  }
  double whole_gain(const std::string& indexer) const {
    return gain(indexer, [](const auto& half) { return half.first + half.second; });
  }

 private:
  template <typename Seconds>
  double gain(const std::string& indexer, Seconds seconds) const {
    const auto slow = halves.find("Index_cpu"), fast = halves.find(indexer);
    if (slow == halves.end() || fast == halves.end() || !(seconds(fast->second) > 0)) return 0;
    return seconds(slow->second) / seconds(fast->second);
  }
};

const std::map<std::string, std::string>& indexers_here() {
  static const std::map<std::string, std::string> kAll{
      {"cpu:cpu-quick@1", "Index_cpu"}, {"gpu:gpu-bitonic", "Index_gpu"}, {"gpu+:gpu-bitonic", "Index_gpu+"}};
  return kAll;
}

std::vector<Job> jobs_here(const JsonView& item) {
  std::vector<Job> jobs;
  for (const JsonView& run : item.at("runs").items()) {
    if (run.at("kind").text() != "modes") continue;
    for (const JsonView& one : run.at("cases").items()) {
      jobs.push_back({"here, " + quantity_text(one.at("input_bytes").number(), bytes_unit())});
      for (const JsonView& mode : one.at("modes").items()) {
        const auto indexer = indexers_here().find(mode.at("mode").text());
        const auto ingest = mode.value_at("ingest_seconds"), rest = mode.value_at("rest_seconds");
        if (indexer == indexers_here().end() || !ingest || !rest) continue;
        jobs.back().halves[indexer->second] = {ingest->middle, rest->middle};
      }
    }
  }
  return jobs;
}

std::vector<Job> jobs_of_paper(const JsonView& item) {
  const Times merge_cpu = paper_times(item, "Index_cpu, merge"),
              merge_gpu = paper_times(item, "Index_gpu and Index_gpu+, merge");
  std::vector<Job> jobs;
  for (const JsonView& series : item.at("paper_figures").items()) {
    if (series.at("name").text() != "Index_cpu, parse and sort") continue;
    for (const JsonView& point : series.at("points").items()) jobs.push_back({point.at("at").text()});
  }
  for (const char* const indexer : {"Index_cpu", "Index_gpu", "Index_gpu+"}) {
    const Times ingest = paper_times(item, std::string(indexer) + ", parse and sort");
    const Times& merge = indexer == std::string("Index_cpu") ? merge_cpu : merge_gpu;
    for (Job& job : jobs) {
      const auto first = ingest.find(job.collection), second = merge.find(job.collection);
      if (first != ingest.end() && second != merge.end()) job.halves[indexer] = {first->second, second->second};
    }
  }
  for (Job& job : jobs) job.collection = "the paper's, " + job.collection;
  return jobs;
}

void add_job_ratios(const JsonView& item, std::vector<ColumnRatio>& ratios) {
  const std::vector<Job> here = jobs_here(item), there = jobs_of_paper(item);
  if (here.empty() || there.empty()) return;
  const Job &last_here = here.back(), &last_there = there.back();
  for (const auto& [indexer, name] : {std::pair{"Index_gpu", "GPU"}, std::pair{"Index_gpu+", "GPU+"}}) {
    ratios.push_back({std::string("Capannini table 2: ") + name + " to CPU, parse and sort",
                      last_there.ingest_gain(indexer), last_here.ingest_gain(indexer)});
    ratios.push_back({std::string("Capannini fig. 8a: ") + name + " to CPU, whole job", last_there.whole_gain(indexer),
                      last_here.whole_gain(indexer)});
  }
  std::erase_if(ratios, [](const ColumnRatio& one) { return !(one.paper > 0) || !(one.here > 0); });
}

}  // namespace

std::vector<ColumnRatio> column_ratios(const JsonView& item) {
  const std::string paper = item.at("paper").text(), id = item.at("id").text();
  std::vector<ColumnRatio> ratios;
  for (const Columns& columns : all_columns()) {
    if (paper != columns.paper || id != columns.item) continue;
    if (const auto ratio = ratio_of(item, columns)) ratios.push_back(*ratio);
  }
  if (paper == "capannini2012" && id == "table 2") add_job_ratios(item, ratios);
  return ratios;
}

std::optional<Table> indexer_table(const JsonView& item) {
  if (item.at("paper").text() != "capannini2012" || !item.at("id").text().starts_with("table 2")) return std::nullopt;
  Table table{.title = "Times as fast as Index_cpu",
              .note =
                  "Index_cpu is one thread with a quicksort, Index_gpu sorts on the GPU, and Index_gpu+ does so "
                  "while the CPU parses. Ingest is parse and sort; the rest is merge, write and sync.",
              .head = {"collection", "Index_gpu, ingest", "Index_gpu+, ingest", "Index_gpu, whole job",
                       "Index_gpu+, whole job"}};
  std::vector<Job> jobs = jobs_here(item);
  const bool any_gpu =
      std::any_of(jobs.begin(), jobs.end(), [](const Job& job) { return job.ingest_gain("Index_gpu") > 0; });
  if (!any_gpu) return std::nullopt;
  for (Job& job : jobs_of_paper(item)) jobs.push_back(std::move(job));
  for (const Job& job : jobs) {
    std::vector<std::string> row{job.collection};
    for (const double gain : {job.ingest_gain("Index_gpu"), job.ingest_gain("Index_gpu+"), job.whole_gain("Index_gpu"),
                              job.whole_gain("Index_gpu+")}) {
      row.push_back(gain > 0 ? quantity_text(gain, plain_unit()) : "-");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace spillway
