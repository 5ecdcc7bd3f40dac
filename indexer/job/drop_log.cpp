#include "indexer/job/drop_log.hpp"

#include "indexer/job/duplicates/repeats.hpp"

namespace spillway {

DuplicateListener DropLog::duplicate_listener() {
  if (!skips_.has_listener()) return {};
  return [this](std::string_view id, std::uint32_t kept, std::uint32_t dropped) {
    skips_.report({.reason = kept < base_documents_ ? SkipReason::kKnownId : SkipReason::kDuplicateId,
                   .offset = dropped - base_documents_,
                   .detail = name_of(kept) + " has the same id",
                   .id = std::string(id)});
  };
}

RepeatListener DropLog::repeat_listener() {
  if (!skips_.has_listener()) return {};
  return [this](std::uint32_t number, const RunDocument& document) {
    skips_.report({.reason = repeat_reason(dedup_),
                   .offset = number - base_documents_,
                   .detail = "an earlier document has the same " + std::string(repeat_name(dedup_)),
                   .id = std::string(document.id),
                   .url = std::string(document.url)});
  };
}

void DropLog::count(const MergeStats& merge, std::uint64_t duplicates) {
  count_repeats(merge);
  note(SkipReason::kDuplicateId, merge.duplicates);
  note(SkipReason::kKnownId, merge.known);
  skips_.move_documents(SkipReason::kDuplicateId, duplicates);
  skips_.move_documents(SkipReason::kKnownId, merge.known_documents);
  skips_.judge_at_end();
}

void DropLog::count_repeats(const MergeStats& merge) {
  if (dedup_ == Dedup::kNone) return;
  const SkipReason reason = repeat_reason(dedup_);
  for (const IdTable::Duplicate& repeat : merge.repeats) {
    skips_.note(reason, repeat.dropped, {name_of(repeat.dropped), 0},
                describe_repeat(dedup_, repeat.value, name_of(repeat.kept)));
  }
  skips_.move_documents(reason, merge.repeated_documents);
}

void DropLog::note(SkipReason reason, const std::vector<IdTable::Duplicate>& examples) {
  for (const IdTable::Duplicate& example : examples) {
    skips_.note(reason, example.dropped, {name_of(example.dropped), 0},
                "id " + example.value + " is that of " + name_of(example.kept));
  }
}

// Documents of the input are numbered from 0.
std::string DropLog::name_of(std::uint32_t document) const {
  if (document < base_documents_) return "a document of the index";
  return "document " + std::to_string(document - base_documents_);
}

}  // namespace spillway
