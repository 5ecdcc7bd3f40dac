#include "indexer/job/duplicates/same_ids.hpp"

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kExamples = 5;

}  // namespace

bool SameIds::may_drop(DuplicateIds policy, const AppendedTo& appended_to) {
  return policy != DuplicateIds::kKeep || (appended_to.document_count != 0 && appended_to.known_ids == KnownIds::kSkip);
}

void SameIds::take(std::string_view id, std::uint32_t number) {
  if (!any_ || id != id_) {
    any_ = true;
    id_ = id;
    kept_ = number;
  } else if (is_known(kept_) && !is_known(number)) {
    meet_known(number);
  } else {
    meet_same(number);
  }
}

// The first document with the id is in the index, this one is appended.
void SameIds::meet_known(std::uint32_t number) {
  switch (appended_to_.known_ids) {
    case KnownIds::kReplace:
      on_replaced(kept_);
      kept_ = number;
      return;
    case KnownIds::kSkip:
      return on_known(id_, kept_, number);
    case KnownIds::kRefuse:
      break;
  }
  if (policy_ == DuplicateIds::kKeep) return;
  ++refused_;
  if (refused_examples_.size() < kExamples) {
    refused_examples_.emplace_back(id_, number - appended_to_.document_count + 1);
  }
}

void SameIds::meet_same(std::uint32_t number) {
  if (policy_ == DuplicateIds::kFail) refuse(number);
  if (policy_ == DuplicateIds::kFirst) on_duplicate(id_, kept_, number);
}

void SameIds::refuse(std::uint32_t number) const {
  throw InputError("documents " + std::to_string(kept_ - appended_to_.document_count + 1) + " and " +
                   std::to_string(number - appended_to_.document_count + 1) + " of the input have the same id \"" +
                   printable(id_) + "\": mend the input" +
                   (appended_to_.document_count == 0 ? ", or choose --duplicate-ids first or keep" : ""));
}

void SameIds::finish() const {
  if (refused_ == 0) return;
  std::string words = std::to_string(refused_) +
                      (refused_ == 1 ? " document has an id that is" : " documents have ids that are") +
                      " in the index already: ";
  for (std::size_t i = 0; i < refused_examples_.size(); ++i) {
    const auto& [id, number] = refused_examples_[i];
    words += (i == 0 ? "\"" : ", \"") + printable(id) + "\" (document " + std::to_string(number) + " of the input)";
  }
  if (refused_ > refused_examples_.size()) {
    words += " and " + std::to_string(refused_ - refused_examples_.size()) + " more";
  }
  throw InputError(words + "; give --replace to put them in place of the old ones, or --skip-known to keep the old " +
                   "ones. The index is unchanged");
}

}  // namespace spillway
