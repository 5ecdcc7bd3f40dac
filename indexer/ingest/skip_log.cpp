#include "indexer/ingest/skip_log.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "io/base/error.hpp"

namespace spillway {

namespace {

std::string place_text(const SourcePlace& place) {
  return printable(place.path, 4096) + ", byte " + std::to_string(place.offset);
}

}  // namespace

void SkipLog::add(SkipReason reason, std::uint64_t task, const SourcePlace& place, std::string_view detail) {
  add(reason, 1);
  note(reason, task, place, detail);
  if (has_listener()) {
    report({.reason = reason,
            .path = std::string(place.path),
            .offset = place.offset,
            .detail = std::string(detail),
            .id = std::string(place.id),
            .url = std::string(place.url)});
  }
  if (strict_ && !is_unasked(reason)) refuse(place, reason, detail);
}

void SkipLog::restore(const Ledger& done) {
  add_documents(done.documents);
  for (std::size_t i = 0; i < kReasons; ++i) add(static_cast<SkipReason>(i), done.skipped[i]);
  {
    const std::lock_guard lock(mutex_);
    for (const SkippedRecord& record : done.examples) {
      examples_[static_cast<std::size_t>(record.reason)].push_back({0, sequence_++, record});
    }
  }
  if (!strict_) return;
  for (const SkippedRecord& record : done.examples) {
    if (!is_unasked(record.reason)) refuse({record.path, record.offset}, record.reason, record.detail);
  }
}

void SkipLog::clear() {
  documents_ = skipped_ = errors_ = 0;
  counts_ = {};
  examples_ = {};
  sequence_ = 0;
}

void SkipLog::refuse(const SourcePlace& place, SkipReason reason, std::string_view detail) const {
  throw InputError(place_text(place) + ": " + std::string(skip_reason_name(reason)) + ": " + printable(detail) +
                   "; --strict stops at the first record that cannot be indexed: mend it, or run without --strict");
}

void SkipLog::note(SkipReason reason, std::uint64_t task, const SourcePlace& place, std::string_view detail) {
  const std::lock_guard lock(mutex_);
  std::vector<Example>& examples = examples_[static_cast<std::size_t>(reason)];
  if (examples.size() == kExamples && examples.back().task <= task) return;  // crawls have many skipped records
  const Example example{task, sequence_++, {reason, std::string(place.path), place.offset, printable(detail)}};
  const auto position = std::upper_bound(
      examples.begin(), examples.end(), example,
      [](const Example& a, const Example& b) { return a.task != b.task ? a.task < b.task : a.sequence < b.sequence; });
  examples.insert(position, example);
  if (examples.size() > kExamples) examples.pop_back();
}

void SkipLog::report(const SkippedRecord& record) {
  if (!has_listener()) return;
  const std::lock_guard lock(mutex_);
  listener_(record);
}

void SkipLog::add(SkipReason reason, std::uint64_t count) {
  if (count == 0) return;
  skipped_.fetch_add(count, std::memory_order_relaxed);
  if (!is_unasked(reason)) errors_.fetch_add(count, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  counts_[static_cast<std::size_t>(reason)] += count;
}

void SkipLog::move_documents(SkipReason reason, std::uint64_t count) {
  documents_.fetch_sub(count, std::memory_order_relaxed);
  add(reason, count);
  if (strict_ && count != 0 && !is_unasked(reason)) {
    throw InputError(std::to_string(count) + " documents are " + std::string(skip_reason_name(reason)) +
                     "; --strict allows none: mend the input, or run without --strict");
  }
}

void SkipLog::judge_rate(std::uint64_t records) const {
  const auto allowed = max_error_rate_ * static_cast<double>(records);
  const std::uint64_t errors = errors_.load();
  if (static_cast<double>(errors) <= allowed) return;
  char rates[96];
  std::snprintf(rates, sizeof rates, "%.4g %% of the records; --max-error-rate allows %.4g %%",
                100 * static_cast<double>(errors) / static_cast<double>(records), 100 * max_error_rate_);
  std::string message = std::to_string(errors) + " of " + std::to_string(records) + " records were skipped, " + rates;
  const std::lock_guard lock(mutex_);
  for (const auto& examples : examples_) {
    if (examples.empty() || is_unasked(examples.front().record.reason)) continue;
    const SkippedRecord& record = examples.front().record;
    message += "; first " + std::string(skip_reason_name(record.reason)) + ": " +
               place_text({record.path, record.offset}) + ": " + record.detail;
  }
  throw InputError(message + "; mend the input or give a higher --max-error-rate. No index was written");
}

void SkipLog::judge() const {
  const std::uint64_t records = documents() + skipped();
  if (records >= kMinRecordsToJudge) judge_rate(records);
}

void SkipLog::judge_at_end() const {
  const std::uint64_t records = documents() + skipped();
  if (records != 0) judge_rate(records);
}

void SkipLog::write(IndexReport& report) const {
  const std::lock_guard lock(mutex_);
  report.records_in = documents() + skipped();
  report.skipped.clear();
  report.examples.clear();
  for (std::size_t i = 0; i < kReasons; ++i) {
    if (counts_[i] != 0) report.skipped.emplace_back(static_cast<SkipReason>(i), counts_[i]);
    for (const Example& example : examples_[i]) report.examples.push_back(example.record);
  }
}

}  // namespace spillway
