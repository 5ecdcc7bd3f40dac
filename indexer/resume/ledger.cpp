#include "indexer/resume/ledger.hpp"

#include <algorithm>
#include <string>

#include "io/base/error.hpp"

namespace spillway {

void Ledger::skip(SkipReason reason, const SourcePlace& place, std::string_view detail) {
  ++skipped[static_cast<std::size_t>(reason)];
  keep_example({reason, std::string(place.path), place.offset, printable(detail)});
}

void Ledger::append(const Ledger& next) {
  position = next.position;
  bytes += next.bytes;
  documents += next.documents;
  repaired += next.repaired;
  overlong_tokens += next.overlong_tokens;
  fields_cut += next.fields_cut;
  for (std::size_t i = 0; i < kReasons; ++i) skipped[i] += next.skipped[i];
  for (const SkippedRecord& record : next.examples) keep_example(record);
}

void Ledger::keep_example(const SkippedRecord& record) {
  const auto kept = std::count_if(examples.begin(), examples.end(),
                                  [&](const SkippedRecord& other) { return other.reason == record.reason; });
  if (static_cast<std::size_t>(kept) < kExamples) examples.push_back(record);
}

}  // namespace spillway
