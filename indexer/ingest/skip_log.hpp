// What was not indexed, counted by reason and located; says when it is too much. Shared by all parsing threads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "corpora/document/sink.hpp"
#include "indexer/options/index_report.hpp"

namespace spillway {

class SkipLog {
 public:
  static constexpr std::size_t kExamples = 3;                 // of each reason
  static constexpr std::uint64_t kMinRecordsToJudge = 10000;  // before the end of the input

  SkipLog(double max_error_rate, bool strict) : max_error_rate_(max_error_rate), strict_(strict) {}

  // `task` orders the examples. Throws InputError with --strict. Thread-safe.
  void add(SkipReason reason, std::uint64_t task, const SourcePlace& place, std::string_view detail);
  // Many of one reason, found without places.
  void add(SkipReason reason, std::uint64_t count);
  // An example of what is counted otherwise.
  void note(SkipReason reason, std::uint64_t task, const SourcePlace& place, std::string_view detail);
  // Documents counted as indexed that turned out not to be.
  void move_documents(SkipReason reason, std::uint64_t count);
  void add_documents(std::uint64_t count) { documents_.fetch_add(count, std::memory_order_relaxed); }

  // Throws InputError if too much was skipped so far, judged from kMinRecordsToJudge records on.
  void judge() const;
  // The same at the end, whatever the number of records.
  void judge_at_end() const;

  std::uint64_t documents() const { return documents_.load(); }
  std::uint64_t skipped() const { return skipped_.load(); }
  // Fills the report's ledger: records_in, skipped, examples (the first of each reason, in input order).
  void write(IndexReport& report) const;

 private:
  struct Example {
    std::uint64_t task, sequence;
    SkippedRecord record;
  };
  static constexpr std::size_t kReasons = static_cast<std::size_t>(SkipReason::kCount);
  void judge_rate(std::uint64_t records) const;

  const double max_error_rate_;
  const bool strict_;
  std::atomic<std::uint64_t> documents_{0}, skipped_{0};
  mutable std::mutex mutex_;
  std::array<std::uint64_t, kReasons> counts_{};
  std::array<std::vector<Example>, kReasons> examples_;
  std::uint64_t sequence_ = 0;
};

}  // namespace spillway
