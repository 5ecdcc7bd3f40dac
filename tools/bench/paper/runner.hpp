// Runs the items of papers on this machine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "io/memory/budget.hpp"
#include "sort/interface/record_sorter.hpp"
#include "tools/bench/options.hpp"
#include "tools/bench/paper/item.hpp"
#include "tools/bench/sorts/timed_sort.hpp"
#include "tools/cli/command.hpp"

namespace spillway {

enum class PaperExtent : std::uint8_t { kFull, kQuick };

class PaperRunner {
 public:
  // Makes texts and indexes below `scratch`. Jobs index the first lines of the file `text` instead of generated text,
  // unless it is empty.
  PaperRunner(Session& session, const BenchOptions& options, PaperExtent extent, std::string scratch, std::string text);

  // Runs an item: the members of paper_item_json with "status" and "runs" filled in. "status": "measured"; "CPU part"
  // (without the sorters that need a GPU); "needs a GPU" (nothing can run here); "elsewhere"; "not run". Each run has
  // the "kind" keys, strings, sets or modes, and "cases". Throws as the benchmarks of these kinds.
  nlohmann::ordered_json run(const Paper& paper, const PaperItem& item);

 private:
  struct Result {
    nlohmann::ordered_json json;
    bool ran = false, needs_gpu = false;  // needs_gpu: a part was left out for the lack of one
  };
  Result run(const KeysRun& run);
  Result run(const StringsRun& run);
  Result run(const SetsRun& run);
  Result run(const ModesRun& run);
  template <typename Sorter>
  std::vector<const Sorter*> usable(const std::vector<std::string>& names, Result& result) const;
  std::vector<std::unique_ptr<TimedSort>> variant_sorts(const StringsRun& run, class StringInput& input);
  nlohmann::ordered_json strings_case(const StringsRun& run, class StringInput& input,
                                      const std::vector<const class StringSorter*>& sorters);
  std::vector<SorterStats> measure(const std::vector<std::unique_ptr<TimedSort>>& sorts) const;
  std::vector<SorterStats> measure(const std::vector<const RecordSorter*>& sorters, RecordSet set, unsigned arrays);
  std::uint64_t write_text(const std::string& path, std::uint64_t bytes, double mean_words);
  SortPlace place(unsigned threads) const;
  bool is_quick() const { return extent_ == PaperExtent::kQuick; }

  Session& session_;
  const BenchOptions& options_;
  const PaperExtent extent_;
  const std::string scratch_, text_;
  MemoryBudget budget_;
};

// An item before it runs: {"paper", "id", "title", "paper_machine", "stand_in", "left_out", "place", "status",
// "paper_figures", "runs": []}.
nlohmann::ordered_json paper_item_json(const Paper& paper, const PaperItem& item);

// "figure 8a: Beside parallel sorts ...: both", what stands for the paper's run, and what is left out.
std::string paper_item_row(const nlohmann::ordered_json& item);

// "figure 8a: Beside parallel sorts ...: CPU part", and a line for each sorter and case.
std::string paper_item_text(const nlohmann::ordered_json& item);

// "Tables and figures: measured: 5, CPU part: 10, needs a GPU: 14, elsewhere: 9, not run: 16"
std::string paper_summary_text(const nlohmann::ordered_json& items);

}  // namespace spillway
