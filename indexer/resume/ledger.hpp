// What the tasks of a job's input have given so far, in input order: the place up to which the input is read, and the
// counts of the job's report. It travels with blocks, so that a commit of their runs can say what they stand for.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "corpora/document/sink.hpp"
#include "corpora/reader/plan.hpp"
#include "indexer/options/index_report.hpp"

namespace spillway {

struct Ledger {
  static constexpr std::size_t kReasons = static_cast<std::size_t>(SkipReason::kCount);
  static constexpr std::size_t kExamples = 3;  // kept for each reason

  InputPosition position;   // after the last task
  std::uint64_t bytes = 0;  // of the input, as stored
  std::uint64_t documents = 0, repaired = 0, overlong_tokens = 0, fields_cut = 0;
  std::array<std::uint64_t, kReasons> skipped{};
  std::vector<SkippedRecord> examples;  // the first of each reason

  void skip(SkipReason reason, const SourcePlace& place, std::string_view detail);
  // Adds what comes next in the input.
  void append(const Ledger& next);

 private:
  void keep_example(const SkippedRecord& record);
};

}  // namespace spillway
