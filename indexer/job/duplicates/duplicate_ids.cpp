#include "indexer/job/duplicates/duplicate_ids.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "indexer/job/duplicates/repeats.hpp"
#include "indexer/job/duplicates/replaced_urls.hpp"
#include "io/base/error.hpp"
#include "merge/input/documents.hpp"
#include "merge/input/source_layout.hpp"

namespace spillway {

namespace {

bool is_hole(const RunDocument& document) { return document.fields == RunDocument::kDropped; }
bool has_id(const RunDocument& document) { return !is_hole(document) && (document.fields & RunDocument::kId) != 0; }

bool names_any(const IdList* list) { return list != nullptr && list->count() != 0; }

bool is_url_listed(const RunDocument& document, const IdTableResources& resources) {
  return names_any(resources.urls_to_drop) && (document.fields & RunDocument::kUrl) != 0 &&
         resources.urls_to_drop->take(document.url);
}

bool any_stored_ids(std::span<const MergeInput* const> inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const MergeInput* input) { return input->summary().has_stored_ids; });
}

bool may_have_holes(std::span<const MergeInput* const> inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const MergeInput* input) { return input->may_have_dropped(); });
}

// An index has no hashes of texts.
RepeatSearch repeat_search(Dedup what, const IdTableResources& resources) {
  return {.what = what,
          .budget = resources.budget,
          .temp = resources.temp,
          .sorter = resources.sorter,
          .memory_bytes = resources.memory_bytes,
          .check = resources.check_cancelled,
          .unhashed_count = what == Dedup::kExact ? resources.appended_to.document_count : 0};
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
  if (first.any_hole || names_any(resources.to_drop) || names_any(resources.urls_to_drop)) {
    drop_known(inputs, resources);
  }
  if (resources.appended_to.replace_urls) drop_replaced_urls(inputs, resources);
  if (resources.dedup != Dedup::kNone) drop_repeats(inputs, resources);
  if (has_ids_ && !first.ascends) take_ids(inputs, policy, resources, lengths);
  dropped_.seal();
  lengths.drop(dropped_);
}

// Reads the inputs in parallel. Returns false, and reads nothing, if there may be ids or holes, with one thread, or if
// memory is short.
bool IdTable::take_lengths(std::span<const MergeInput* const> inputs, const IdTableResources& resources,
                           LengthCodes& lengths) const {
  if (has_ids_ || may_have_holes(inputs) || resources.threads <= 1) return false;
  const auto memory = resources.budget.try_reserve(resources.threads * resources.documents_bytes, "reading documents");
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

// `place`: its number, from 1, which is its id if no input stores ids.
bool IdTable::is_id_listed(const RunDocument& document, std::uint64_t place, const IdTableResources& resources) const {
  if (!names_any(resources.to_drop)) return false;
  if (has_id(document)) return resources.to_drop->take(document.id);
  return !has_ids_ && resources.to_drop->take(std::to_string(place));
}

// Drops holes, and the documents that the lists name.
void IdTable::drop_known(std::span<const MergeInput* const> inputs, const IdTableResources& resources) {
  std::uint64_t place = 0;
  for_each_document(inputs, check_cancelled_, [&](std::uint32_t number, const RunDocument& document) {
    if (is_hole(document)) {
      drop(number, resources);
      return ReadStep::kGoOn;
    }
    ++place;
    const bool by_id = is_id_listed(document, place, resources), by_url = is_url_listed(document, resources);
    if (by_id || by_url) {
      drop(number, resources);
      ++listed_count_;
    }
    return ReadStep::kGoOn;
  });
}

void IdTable::take_ids(std::span<const MergeInput* const> inputs, DuplicateIds policy,
                       const IdTableResources& resources, LengthCodes& lengths) {
  sort_ =
      std::make_unique<ExternalStringSort>(resources.budget, resources.temp, resources.sorter, resources.memory_bytes);
  is_unsorted_ = true;
  const bool may_drop = read_ids(inputs, policy, resources, lengths);
  if (!may_drop && resources.id_sort == IdSort::kWhenNeeded) return;
  sort();
  if (may_drop) drop_duplicates(policy, resources);
}

// Gives the ids to the sort: in parallel and in place, but not with one thread, if an input does not allow it, or if
// they do not fit the memory. Returns whether documents may have to be dropped for their ids.
bool IdTable::read_ids(std::span<const MergeInput* const> inputs, DuplicateIds policy,
                       const IdTableResources& resources, LengthCodes& lengths) {
  const bool may_drop = SameIds::may_drop(policy, resources.appended_to);
  if (resources.threads > 1) {
    PlacedIds documents(inputs, dropped_, lengths);
    std::span<StringRef> ids;
    if (documents.can_read()) ids = sort_->place(static_cast<std::size_t>(document_count_));
    if (!ids.empty()) {
      if (may_drop && resources.id_sort == IdSort::kWhenNeeded) return may_repeat(documents, ids, resources.id_hash);
      documents.read(ids, nullptr, check_cancelled_);
      return may_drop;
    }
  }
  add_ids(inputs, lengths);
  return may_drop;
}

// Refers to the ids in place, and compares their hashes in memory that the sort does not need yet. Where that does not
// suffice, any two may be the same.
bool IdTable::may_repeat(PlacedIds& documents, std::span<StringRef> ids, IdHash hash) {
  const std::span<std::uint8_t> memory = sort_->spare();
  if (memory.size() < IdHashes::memory_bytes(ids.size())) {
    documents.read(ids, nullptr, check_cancelled_);
    return true;
  }
  IdHashes hashes(ids.size(), memory, hash);
  documents.read(ids, &hashes, check_cancelled_);
  return hashes.may_repeat(check_cancelled_);
}

void IdTable::add_ids(std::span<const MergeInput* const> inputs, LengthCodes& lengths) {
  for_each_document(inputs, check_cancelled_, [&](std::uint32_t number, const RunDocument& document) {
    lengths.set(number, document.length);
    if (has_id(document) && !dropped_.contains(number)) sort_->add(document.id, number);
    return ReadStep::kGoOn;
  });
}

void IdTable::sort() {
  if (std::exchange(is_unsorted_, false)) sort_->sort();
}

void IdTable::drop_replaced_urls(std::span<const MergeInput* const> inputs, const IdTableResources& resources) {
  ReplacedUrls replaced(resources.budget, resources.appended_to.document_count, [&](std::uint32_t number) {
    drop(number, resources);
    ++replaced_count_;
  });
  find_repeats(inputs, dropped_, repeat_search(Dedup::kUrl, resources),
               [&](std::string_view, std::uint32_t first, std::uint32_t number) { replaced.take(first, number); });
}

void IdTable::drop_repeats(std::span<const MergeInput* const> inputs, const IdTableResources& resources) {
  const auto take = [&](std::string_view value, std::uint32_t kept, std::uint32_t number) {
    if (number < resources.appended_to.document_count) return;
    drop(number, resources);
    ++repeats_.count;
    keep_first(repeats_.examples, value, kept, number);
  };
  find_repeats(inputs, dropped_, repeat_search(resources.dedup, resources), take);
  if (resources.on_repeat && repeats_.count != 0) tell_of_repeats(inputs, resources);
}

// Reads the documents once more: the sort has neither ids nor URLs of all of them.
void IdTable::tell_of_repeats(std::span<const MergeInput* const> inputs, const IdTableResources& resources) const {
  for_each_document(inputs, check_cancelled_, [&](std::uint32_t number, const RunDocument& document) {
    const bool is_appended = number >= resources.appended_to.document_count;
    if (is_appended && dropped_.contains(number)) resources.on_repeat(number, document);
    return ReadStep::kGoOn;
  });
}

void IdTable::drop_duplicates(DuplicateIds policy, const IdTableResources& resources) {
  SameIds same(policy, resources.appended_to);
  const auto drop_into = [&](Duplicates& dropped) {
    return [&](std::string_view id, std::uint32_t kept, std::uint32_t number) {
      drop(number, resources);
      ++dropped.count;
      if (dropped.examples.size() < kExamples) dropped.examples.push_back({std::string(id), kept, number});
      if (resources.on_duplicate) resources.on_duplicate(id, kept, number);
    };
  };
  same.on_duplicate = drop_into(duplicates_);
  same.on_known = drop_into(known_);
  same.on_replaced = [&](std::uint32_t number) {
    drop(number, resources);
    ++replaced_count_;
  };
  const auto take = [&](std::string_view id, std::uint32_t number) {
    if (check_cancelled_) check_cancelled_();
    same.take(id, number);
  };
  sort_->read_repeated(take, check_cancelled_);
  same.finish();
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
  sort();
  sort_->read([&](std::string_view, std::uint32_t number) {
    if (check_cancelled_) check_cancelled_();
    if (!dropped_.contains(number)) writer.append_id_order(dropped_.renumber(number));
  });
  sort_.reset();
}

}  // namespace spillway
