// Counts and locates the records that are not indexed, and fails the job when there are too many. All parsing threads
// share it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "corpora/document/sink.hpp"
#include "indexer/options/index_report.hpp"
#include "indexer/resume/ledger.hpp"

namespace spillway {

class SkipLog {
 public:
  static constexpr std::size_t kExamples = Ledger::kExamples;
  static constexpr std::uint64_t kMinRecordsToJudge = 10000;  // in judge()

  using Listener = std::function<void(const SkippedRecord&)>;

  // `listener` hears of every record that add() and report() name, from one thread at a time; what it throws, they
  // throw. It may be empty.
  SkipLog(double max_error_rate, bool strict, Listener listener = {})
      : max_error_rate_(max_error_rate), strict_(strict), listener_(std::move(listener)) {}

  // Counts a record. Examples are ordered by `task`. InputError with --strict. All of SkipLog is thread-safe.
  void add(SkipReason reason, std::uint64_t task, const SourcePlace& place, std::string_view detail);
  // Counts `count` records of one reason, without examples.
  void add(SkipReason reason, std::uint64_t count);
  // Counts what an earlier job has done of the same input. InputError if that skipped records, with --strict.
  void restore(const Ledger& done);
  // Forgets all records. Requires: no listener heard of any, and no other thread uses the log.
  void clear();
  // Keeps an example of a record that is counted elsewhere.
  void note(SkipReason reason, std::uint64_t task, const SourcePlace& place, std::string_view detail);
  // Tells the listener of a record that is counted elsewhere.
  void report(const SkippedRecord& record);
  bool has_listener() const { return listener_ != nullptr; }
  // Counts `count` documents as skipped that were counted as indexed. InputError with --strict.
  void move_documents(SkipReason reason, std::uint64_t count);
  void add_documents(std::uint64_t count) { documents_.fetch_add(count, std::memory_order_relaxed); }

  // InputError if more records than allowed were skipped so far for reasons that are errors. Passes before
  // kMinRecordsToJudge records.
  void judge() const;
  // Judges at the end of the input, whatever the number of records. Throws as judge().
  void judge_at_end() const;

  std::uint64_t documents() const { return documents_.load(); }
  std::uint64_t skipped() const { return skipped_.load(); }
  // Fills records_in, skipped and examples (the first of each reason, in input order) of the report.
  void write(IndexReport& report) const;

 private:
  struct Example {
    std::uint64_t task, sequence;
    SkippedRecord record;
  };
  static constexpr std::size_t kReasons = static_cast<std::size_t>(SkipReason::kCount);
  [[noreturn]] void refuse(const SourcePlace& place, SkipReason reason, std::string_view detail) const;
  void judge_rate(std::uint64_t records) const;

  const double max_error_rate_;
  const bool strict_;
  const Listener listener_;
  std::atomic<std::uint64_t> documents_{0}, skipped_{0};
  std::atomic<std::uint64_t> errors_{0};  // skipped, and not for a reason that is_unasked()
  mutable std::mutex mutex_;
  std::array<std::uint64_t, kReasons> counts_{};
  std::array<std::vector<Example>, kReasons> examples_;
  std::uint64_t sequence_ = 0;
};

}  // namespace spillway
