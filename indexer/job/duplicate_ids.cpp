#include "indexer/job/duplicate_ids.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>

#include "indexer/job/repeats.hpp"
#include "io/base/error.hpp"
#include "merge/input/documents.hpp"
#include "merge/input/source_layout.hpp"

namespace spillway {

namespace {

bool is_hole(const RunDocument& document) { return document.fields == RunDocument::kDropped; }
bool has_id(const RunDocument& document) { return !is_hole(document) && (document.fields & RunDocument::kId) != 0; }

bool any_stored_ids(std::span<const MergeInput* const> inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const MergeInput* input) { return input->summary().has_stored_ids; });
}

// Documents after the end of a range belong to another thread.
[[noreturn]] void refuse_overlap(const MergeInput& input, std::uint64_t first, std::uint64_t end) {
  throw FormatError(input.name() + ": expected " + std::to_string(end - std::min(first, end)) +
                    " documents from number " + std::to_string(first + 1) +
                    " on, found more: it is damaged, make it again from its input");
}

bool may_have_holes(std::span<const MergeInput* const> inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const MergeInput* input) { return input->may_have_dropped(); });
}

// Keeps the examples with the smallest numbers, in their order.
void keep_first(std::vector<IdTable::Duplicate>& examples, std::string_view value, std::uint32_t kept,
                std::uint32_t dropped) {
  if (examples.size() == IdTable::kExamples && examples.back().dropped < dropped) return;
  const auto place = std::find_if(examples.begin(), examples.end(),
                                  [&](const IdTable::Duplicate& example) { return example.dropped > dropped; });
  examples.insert(place, {std::string(value), kept, dropped});
  if (examples.size() > IdTable::kExamples) examples.pop_back();
}

}  // namespace

IdTable::IdTable(std::span<const MergeInput* const> inputs, DuplicateIds policy, const IdTableResources& resources,
                 LengthCodes& lengths)
    : document_count_(lay_out_source(inputs).document_count),
      has_ids_(any_stored_ids(inputs)),
      check_cancelled_(resources.check_cancelled) {
  const FirstLook first = take_lengths(inputs, resources, lengths) ? FirstLook() : look(inputs, lengths);
  if (first.any_hole || (resources.to_drop != nullptr && resources.to_drop->count() != 0)) {
    drop_known(inputs, resources);
  }
  if (resources.dedup != Dedup::kNone) drop_repeats(inputs, resources);
  if (has_ids_ && !first.ascends) {
    sort_ids(inputs, resources, lengths);
    if (policy != DuplicateIds::kKeep) drop_duplicates(policy, resources);
  }
  dropped_.seal();
  lengths.drop(dropped_);
}

// Reads the inputs in parallel. Returns false, and reads nothing, if there may be ids or holes, with one thread, or if
// memory is short.
bool IdTable::take_lengths(std::span<const MergeInput* const> inputs, const IdTableResources& resources,
                           LengthCodes& lengths) const {
  if (has_ids_ || may_have_holes(inputs) || resources.threads <= 1) return false;
  const auto memory = resources.budget.try_reserve(resources.threads * resources.documents_bytes);
  if (!memory) return false;
  const std::vector<std::uint64_t> bases = lay_out_source(inputs).bases;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> cut(inputs.size());
  tbb::parallel_for(std::size_t{0}, inputs.size(),
                    [&](std::size_t i) { cut[i] = set_lengths(*inputs[i], bases[i], lengths, check_cancelled_); });
  std::pair<std::uint32_t, std::uint64_t> open{0, 0};  // a document, and the length of its parts so far
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const auto& [document, length] : cut[i]) {
      if (open.first != document) open = {document, 0};
      open.second += length;
      if (open.second > std::numeric_limits<std::uint32_t>::max()) refuse_length(inputs[i]->name());
      lengths.set(document, static_cast<std::uint32_t>(open.second));
    }
  }
  return true;
}

// Stops at the first id that does not ascend, as all ids are then read again to be sorted; but not if there may be
// holes, which only indexes have.
IdTable::FirstLook IdTable::look(std::span<const MergeInput* const> inputs, LengthCodes& lengths) const {
  FirstLook result;
  std::string last_id;
  bool any_id = false;
  const bool any_may_be_hole = may_have_holes(inputs);
  for_each_document(inputs, check_cancelled_, [&](std::uint32_t number, const RunDocument& document) {
    lengths.set(number, document.length);
    result.any_hole |= is_hole(document);
    if (has_ids_ && !is_hole(document) && result.ascends) {
      result.ascends = has_id(document) && (!any_id || document.id > last_id);
      last_id = document.id;
      any_id = true;
    }
    return result.ascends || any_may_be_hole ? ReadStep::kGoOn : ReadStep::kStop;
  });
  return result;
}

// Drops holes, and the documents that the list names.
void IdTable::drop_known(std::span<const MergeInput* const> inputs, const IdTableResources& resources) {
  std::uint64_t place = 0;
  for_each_document(inputs, check_cancelled_, [&](std::uint32_t number, const RunDocument& document) {
    if (is_hole(document)) {
      drop(number, resources);
      return ReadStep::kGoOn;
    }
    ++place;
    if (resources.to_drop == nullptr) return ReadStep::kGoOn;
    const bool listed = has_id(document) ? resources.to_drop->take(document.id)
                                         : !has_ids_ && resources.to_drop->take(std::to_string(place));
    if (listed) {
      drop(number, resources);
      ++listed_count_;
    }
    return ReadStep::kGoOn;
  });
}

void IdTable::sort_ids(std::span<const MergeInput* const> inputs, const IdTableResources& resources,
                       LengthCodes& lengths) {
  sort_ =
      std::make_unique<ExternalStringSort>(resources.budget, resources.temp, resources.sorter, resources.memory_bytes);
  if (place_ids(inputs, resources.threads, lengths)) return sort_->sort();
  for_each_document(inputs, check_cancelled_, [&](std::uint32_t number, const RunDocument& document) {
    lengths.set(number, document.length);
    if (has_id(document) && !dropped_.contains(number)) sort_->add(document.id, number);
    return ReadStep::kGoOn;
  });
  sort_->sort();
}

// Reads documents in parallel and refers to their ids in place. Returns false, and reads nothing, with one thread, if
// an input does not allow it, if a document is cut between inputs, or if the ids do not fit the memory.
bool IdTable::place_ids(std::span<const MergeInput* const> inputs, unsigned threads, LengthCodes& lengths) {
  if (threads <= 1) return false;
  const std::vector<std::uint64_t> bases = lay_out_source(inputs).bases;
  std::vector<DocumentRange> ranges;
  std::vector<std::size_t> input_of;  // by range
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<DocumentRange> more = inputs[i]->document_ranges();
    if (more.empty() || inputs[i]->identity().last_document_open) return false;
    for (DocumentRange& range : more) {
      range.first += bases[i];
      ranges.push_back(std::move(range));
      input_of.push_back(i);
    }
  }
  const std::span<StringRef> ids = sort_->place(static_cast<std::size_t>(document_count_));
  if (ids.empty()) return false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> stats(ranges.size());  // documents, tokens
  tbb::parallel_for(std::size_t{0}, ranges.size(), [&](std::size_t s) {
    const auto first = static_cast<std::uint32_t>(ranges[s].first);
    const bool is_last = s + 1 == ranges.size();
    const std::uint64_t end = is_last ? document_count_ : std::min(document_count_, ranges[s + 1].first);
    std::uint32_t number = first;
    std::uint64_t tokens = 0;
    for (DocumentCursor& cursor = *ranges[s].cursor; cursor.next(); ++number) {
      if (check_cancelled_) check_cancelled_();
      if (number >= end) refuse_overlap(*inputs[input_of[s]], first, end);
      const RunDocument& document = cursor.document();
      lengths.set(number, document.length);
      tokens += document.length;
      ids[number] = {};
      if (has_id(document) && !dropped_.contains(number)) {
        ids[number] = {reinterpret_cast<const std::uint8_t*>(document.id.data()),
                       static_cast<std::uint32_t>(document.id.size()), number};
      }
    }
    stats[s] = {number - first, tokens};
  });
  for (std::size_t i = 0, s = 0; i < inputs.size(); ++i) {
    std::uint64_t documents = 0, tokens = 0;
    for (; s < ranges.size() && input_of[s] == i; ++s) {
      documents += stats[s].first;
      tokens += stats[s].second;
    }
    check_documents(*inputs[i], documents, tokens);
  }
  return true;
}

void IdTable::drop_repeats(std::span<const MergeInput* const> inputs, const IdTableResources& resources) {
  const RepeatSearch search{.what = resources.dedup,
                            .budget = resources.budget,
                            .temp = resources.temp,
                            .sorter = resources.sorter,
                            .memory_bytes = resources.memory_bytes,
                            .check = check_cancelled_};
  find_repeats(inputs, dropped_, search, [&](std::string_view value, std::uint32_t kept, std::uint32_t number) {
    drop(number, resources);
    ++repeat_count_;
    keep_first(repeats_, value, kept, number);
  });
  if (resources.on_duplicate && repeat_count_ != 0) tell_of_repeats(inputs, resources);
}

// Reads the documents once more: the sort has neither ids nor URLs of all of them.
void IdTable::tell_of_repeats(std::span<const MergeInput* const> inputs, const IdTableResources& resources) const {
  for_each_document(inputs, check_cancelled_, [&](std::uint32_t number, const RunDocument& document) {
    if (dropped_.contains(number) && !is_hole(document)) {
      resources.on_duplicate({.reason = repeat_reason(resources.dedup),
                              .offset = number,
                              .detail = "an earlier document has the same " + std::string(repeat_name(resources.dedup)),
                              .id = std::string(document.id),
                              .url = std::string(document.url)});
    }
    return ReadStep::kGoOn;
  });
}

// Equal ids come in order of number: the first is kept.
void IdTable::drop_duplicates(DuplicateIds policy, const IdTableResources& resources) {
  std::string kept_id;
  std::uint32_t kept = 0;
  bool any = false;
  const auto take = [&](std::string_view id, std::uint32_t number) {
    if (check_cancelled_) check_cancelled_();
    if (!any || id != kept_id) {
      any = true;
      kept_id = id;
      kept = number;
      return;
    }
    if (policy == DuplicateIds::kFail) {
      throw InputError("documents " + std::to_string(std::uint64_t{kept} + 1) + " and " +
                       std::to_string(std::uint64_t{number} + 1) + " of the input have the same id \"" + printable(id) +
                       "\": mend the input, or choose --duplicate-ids first or keep");
    }
    drop(number, resources);
    ++duplicate_count_;
    if (examples_.size() < kExamples) examples_.push_back({std::string(id), kept, number});
    if (resources.on_duplicate) {
      resources.on_duplicate({.reason = SkipReason::kDuplicateId,
                              .offset = number,
                              .detail = "document " + std::to_string(kept) + " has the same id",
                              .id = std::string(id)});
    }
  };
  sort_->read_repeated(take, check_cancelled_);
}

// Reserves the bitmap at the first dropped document.
void IdTable::drop(std::uint32_t document, const IdTableResources& resources) {
  if (dropped_.none()) dropped_ = DroppedDocuments(resources.budget, document_count_);
  dropped_.drop(document);
}

void IdTable::write_order(IndexWriter& writer) {
  if (!has_ids_) return;
  if (sort_ == nullptr) {
    const std::uint64_t kept = document_count_ - dropped_.count();
    for (std::uint64_t number = 0; number < kept; ++number) writer.append_id_order(static_cast<std::uint32_t>(number));
    return;
  }
  sort_->read([&](std::string_view, std::uint32_t number) {
    if (check_cancelled_) check_cancelled_();
    if (!dropped_.contains(number)) writer.append_id_order(dropped_.renumber(number));
  });
  sort_.reset();
}

}  // namespace spillway
