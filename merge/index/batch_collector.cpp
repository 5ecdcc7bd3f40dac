#include "merge/index/batch_collector.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace spillway {

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();

// The fragments of an entry, or the entry itself as its only one.
std::span<const ListFragment> fragments_of(const RunEntry& entry, ListFragment& whole) {
  if (!entry.fragments.empty()) return entry.fragments;
  whole = {entry.postings, entry.positions, entry.document_count, entry.occurrence_count, 0, entry.last_document};
  return {&whole, 1};
}

}  // namespace

void BatchCollector::begin_list(std::string_view term) {
  const TermHash hash = hash_term(term);
  BatchList& list = arrays_.lists[lists_.size()];
  list.hash[0] = hash[0];
  list.hash[1] = hash[1];
  list.first_fragment = used_.fragments;
  lists_.push_back({used_.fragments, static_cast<std::uint32_t>(term.size()), terms_.size()});
  terms_.insert(terms_.end(), term.begin(), term.end());
}

bool BatchCollector::fits(const BatchEntry& entry) const {
  ListFragment whole;
  const std::span<const ListFragment> fragments = fragments_of(entry.entry, whole);
  if (entry.entry.last_document >= entry.document_count) return false;
  std::uint64_t posting_bytes = used_.posting_bytes, distance_bytes = used_.distance_bytes;
  std::uint64_t occurrences = used_.occurrences, documents = 0, of_entry = 0;
  for (const ListFragment& fragment : fragments) {
    if (fragment.document_count == 0 || fragment.document_count > fragment.postings.size()) return false;
    if (fragment.occurrence_count < fragment.document_count) return false;
    if (has_positions_ && fragment.occurrence_count > fragment.positions.size()) return false;
    if (fragment.last_document > entry.entry.last_document) return false;
    posting_bytes += fragment.postings.size();
    distance_bytes += has_positions_ ? fragment.positions.size() : 0;
    if (fragment.occurrence_count > kMost) return false;
    occurrences += fragment.occurrence_count;
    of_entry += fragment.occurrence_count;
    documents += fragment.document_count;
  }
  return documents == entry.entry.document_count && of_entry == entry.entry.occurrence_count &&
         posting_bytes <= arrays_.postings.size() && distance_bytes <= arrays_.distances.size() &&
         occurrences <= kMost && used_.fragments + fragments.size() < arrays_.fragments.size();
}

bool BatchCollector::add(const BatchEntry& entry) {
  if (!fits(entry)) return false;
  ListFragment whole;
  std::uint32_t flags = entry.may_go_on ? BatchFragment::kMayGoOn : 0;
  if (lists_.back().first_fragment == used_.fragments) flags = BatchFragment::kStartsList;
  for (const ListFragment& fragment : fragments_of(entry.entry, whole)) {
    copy(entry, fragment, flags);
    flags = 0;
  }
  return true;
}

BatchFragment BatchCollector::end_of(const BatchSize& size) const {
  BatchFragment end;
  end.first_byte = size.posting_bytes;
  end.first_distance_byte = size.distance_bytes;
  end.first_posting = size.postings;
  end.first_occurrence = size.occurrences;
  end.list = static_cast<std::uint32_t>(lists_.size());
  return end;
}

void BatchCollector::copy(const BatchEntry& entry, const ListFragment& fragment, std::uint32_t flags) {
  BatchFragment to = end_of(used_);
  --to.list;
  to.base = entry.input_base + fragment.base;
  to.last_document = entry.input_base + fragment.last_document;
  to.flags = flags;
  arrays_.fragments[used_.fragments++] = to;
  origins_.push_back({entry.input, entry.input_base});
  std::memcpy(arrays_.postings.data() + used_.posting_bytes, fragment.postings.data(), fragment.postings.size());
  mark_start(used_.posting_bytes, fragment.postings.size());
  used_.posting_bytes += static_cast<std::uint32_t>(fragment.postings.size());
  used_.postings += fragment.document_count;
  used_.occurrences += static_cast<std::uint32_t>(fragment.occurrence_count);
  if (!has_positions_) return;
  std::memcpy(arrays_.distances.data() + used_.distance_bytes, fragment.positions.data(), fragment.positions.size());
  used_.distance_bytes += static_cast<std::uint32_t>(fragment.positions.size());
}

// Clears the words that the bytes are the first to reach.
void BatchCollector::mark_start(std::size_t from, std::size_t bytes) {
  std::fill(arrays_.starts.begin() + static_cast<std::ptrdiff_t>((from + 63) / 64),
            arrays_.starts.begin() + static_cast<std::ptrdiff_t>((from + bytes + 63) / 64), std::uint64_t{0});
  arrays_.starts[from / 64] |= std::uint64_t{1} << from % 64;
}

ListFragment BatchCollector::fragment_of(std::size_t f) const {
  const BatchFragment& begin = arrays_.fragments[f];
  const BatchFragment end = f + 1 < used_.fragments ? arrays_.fragments[f + 1] : end_of(used_);
  ListFragment fragment;
  fragment.postings = arrays_.postings.subspan(begin.first_byte, end.first_byte - begin.first_byte);
  if (has_positions_) {
    fragment.positions =
        arrays_.distances.subspan(begin.first_distance_byte, end.first_distance_byte - begin.first_distance_byte);
  }
  fragment.document_count = end.first_posting - begin.first_posting;
  fragment.occurrence_count = end.first_occurrence - begin.first_occurrence;
  fragment.base = begin.base - origins_[f].input_base;
  fragment.last_document = begin.last_document - origins_[f].input_base;
  return fragment;
}

BatchSize BatchCollector::seal() {
  BatchSize size = used_;
  size.lists = static_cast<std::uint32_t>(complete_);
  size.fragments = lists_end(complete_).first_fragment;
  if (size.fragments < used_.fragments) {
    const BatchFragment& next = arrays_.fragments[size.fragments];
    size.posting_bytes = next.first_byte;
    size.distance_bytes = next.first_distance_byte;
    size.postings = next.first_posting;
    size.occurrences = next.first_occurrence;
  } else {
    arrays_.fragments[size.fragments] = end_of(size);
  }
  arrays_.lists[complete_].first_fragment = size.fragments;
  return size;
}

void BatchCollector::count(std::span<InputTotals> inputs) const {
  const std::uint32_t end = lists_end(complete_).first_fragment;
  for (std::size_t f = 0; f < end; ++f) {
    const BatchFragment &fragment = arrays_.fragments[f], &next = arrays_.fragments[f + 1];
    inputs[origins_[f].input].posting_count += next.first_posting - fragment.first_posting;
    inputs[origins_[f].input].occurrence_count += next.first_occurrence - fragment.first_occurrence;
  }
}

void BatchCollector::drop_complete() {
  const BatchSize done = seal();
  const std::size_t first_term_byte = lists_end(complete_).first_term_byte;
  const std::size_t bytes = used_.posting_bytes - done.posting_bytes;
  const std::size_t distance_bytes = used_.distance_bytes - done.distance_bytes;
  std::memmove(arrays_.postings.data(), arrays_.postings.data() + done.posting_bytes, bytes);
  std::memmove(arrays_.distances.data(), arrays_.distances.data() + done.distance_bytes, distance_bytes);
  std::fill_n(arrays_.starts.begin(), (bytes + 63) / 64, std::uint64_t{0});
  for (std::size_t f = done.fragments; f < used_.fragments; ++f) {
    BatchFragment& fragment = arrays_.fragments[f - done.fragments] = arrays_.fragments[f];
    fragment.first_byte -= done.posting_bytes;
    fragment.first_distance_byte -= done.distance_bytes;
    fragment.first_posting -= done.postings;
    fragment.first_occurrence -= done.occurrences;
    fragment.list -= done.lists;
    arrays_.starts[fragment.first_byte / 64] |= std::uint64_t{1} << fragment.first_byte % 64;
  }
  origins_.erase(origins_.begin(), origins_.begin() + done.fragments);
  terms_.erase(terms_.begin(), terms_.begin() + static_cast<std::ptrdiff_t>(first_term_byte));
  lists_.erase(lists_.begin(), lists_.begin() + static_cast<std::ptrdiff_t>(complete_));
  for (std::size_t l = 0; l < lists_.size(); ++l) {
    lists_[l].first_fragment -= done.fragments;
    lists_[l].first_term_byte -= first_term_byte;
    arrays_.lists[l] = arrays_.lists[l + complete_];
    arrays_.lists[l].first_fragment = lists_[l].first_fragment;
  }
  used_.posting_bytes -= done.posting_bytes;
  used_.distance_bytes -= done.distance_bytes;
  used_.fragments -= done.fragments;
  used_.postings -= done.postings;
  used_.occurrences -= done.occurrences;
  complete_ = 0;
}

void BatchCollector::drop_open() {
  const List open = lists_.back();
  const BatchSize before = seal();
  used_ = before;
  used_.lists = 0;
  origins_.resize(open.first_fragment);
  terms_.resize(open.first_term_byte);
  lists_.pop_back();
}

}  // namespace spillway
