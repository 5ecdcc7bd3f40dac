#include "indexer/resume/commit.hpp"

#include <algorithm>

#include "io/base/error.hpp"
#include "io/file/sealed_text.hpp"

namespace spillway {

namespace {

constexpr std::string_view kTitle = "Spillway commit of a resumable job, format 1";

// The counts of a source, in the order of the file.
auto counts_of(auto& source) {
  auto& [documents, entries, postings, occurrences, sum, has_ids] = source.summary;
  return std::array{&source.bytes, &documents,    &entries,      &postings,
                    &occurrences,  &sum.lanes[0], &sum.lanes[1], &sum.positions};
}

auto counts_of_ledger(auto& ledger) {
  return std::array{&ledger.position.file, &ledger.position.offset, &ledger.position.faults,
                    &ledger.position.task, &ledger.bytes,           &ledger.documents,
                    &ledger.repaired,      &ledger.overlong_tokens, &ledger.fields_cut};
}

SkipReason reason_of(SealedTextReader& from, const std::string& path) {
  const std::uint64_t number = from.number();
  if (number >= Ledger::kReasons) throw FormatError(printable(path, 4096) + ": it names an unknown reason");
  return static_cast<SkipReason>(number);
}

}  // namespace

bool CommittedSource::operator==(const CommittedSource& other) const {
  const auto mine = counts_of(*this), theirs = counts_of(other);
  return name == other.name && may_have_dropped == other.may_have_dropped &&
         summary.has_stored_ids == other.summary.has_stored_ids &&
         std::equal(mine.begin(), mine.end(), theirs.begin(), [](auto* a, auto* b) { return *a == *b; });
}

std::string Commit::serialize() const {
  SealedTextWriter to(kTitle);
  to.line("number").number(number);
  to.line("job").word(to_hex(job));
  to.line("seconds").number(static_cast<std::uint64_t>(seconds));
  to.line("done");
  for (const std::uint64_t* count : counts_of_ledger(ledger)) to.number(*count);
  to.line("merge-steps").number(merge_steps);
  for (std::size_t i = 0; i < Ledger::kReasons; ++i) {
    if (ledger.skipped[i] != 0) to.line("skipped").number(i).number(ledger.skipped[i]);
  }
  for (const SkippedRecord& record : ledger.examples) {
    to.line("example").number(static_cast<std::uint64_t>(record.reason)).number(record.offset);
    to.word(record.path).word(record.detail);
  }
  for (const CommittedSource& source : sources) {
    to.line("source").word(source.name);
    for (const std::uint64_t* count : counts_of(source)) to.number(*count);
    to.number(source.summary.has_stored_ids ? 1 : 0).number(source.may_have_dropped ? 1 : 0);
  }
  return to.seal();
}

Commit Commit::parse(std::string_view text, const std::string& path) {
  SealedTextReader from(text, kTitle, path);
  Commit commit;
  from.expect_line("number");
  commit.number = from.number();
  from.expect_line("job");
  const std::string job = from_hex(from.word());
  if (job.size() == commit.job.size()) std::copy(job.begin(), job.end(), commit.job.begin());
  from.expect_line("seconds");
  commit.seconds = static_cast<std::int64_t>(from.number());
  from.expect_line("done");
  for (std::uint64_t* count : counts_of_ledger(commit.ledger)) *count = from.number();
  from.expect_line("merge-steps");
  commit.merge_steps = from.number();
  std::string name = from.next_line();
  for (; name == "skipped"; name = from.next_line()) {
    const SkipReason reason = reason_of(from, path);
    commit.ledger.skipped[static_cast<std::size_t>(reason)] = from.number();
  }
  for (; name == "example"; name = from.next_line()) {
    SkippedRecord record{reason_of(from, path), "", from.number(), ""};
    record.path = from.word();
    record.detail = from.word();
    commit.ledger.examples.push_back(std::move(record));
  }
  for (; name == "source"; name = from.next_line()) {
    CommittedSource source;
    source.name = from.word();
    for (std::uint64_t* count : counts_of(source)) *count = from.number();
    source.summary.has_stored_ids = from.number() != 0;
    source.may_have_dropped = from.number() != 0;
    commit.sources.push_back(std::move(source));
  }
  if (!name.empty()) throw FormatError(printable(path, 4096) + ": expected a line 'source' or the end");
  return commit;
}

}  // namespace spillway
