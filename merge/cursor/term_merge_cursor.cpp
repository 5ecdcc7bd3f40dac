#include "merge/cursor/term_merge_cursor.hpp"

#include <algorithm>
#include <bit>

#include "io/base/bytes.hpp"

namespace spillway {

namespace {

constexpr std::size_t kStartBytes = 8;
constexpr std::uint64_t kNoStart = ~std::uint64_t{0};

}  // namespace

TermMergeCursor::Rest TermMergeCursor::rest_of(std::string_view term) {
  return {term.size() > kStartBytes ? byte_prefix(term.substr(kStartBytes)) : 0,
          std::min<std::uint64_t>(term.size(), kMoreBytes)};
}

TermMergeCursor::TermMergeCursor(std::span<const MergeInput* const> inputs, const std::string& first,
                                 const std::string& last, Entries entries)
    : starts_((inputs.size() + kTermStarts - 1) / kTermStarts),
      least_starts_(starts_.size()),
      rests_(starts_.size() * kTermStarts, {kNoStart, kDone}) {
  for (Starts& starts : starts_) starts.fill(kNoStart);
  cursors_.reserve(inputs.size());
  of_term_.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    cursors_.push_back(entries == Entries::kWhole ? inputs[i]->whole_terms(first, last)
                                                  : inputs[i]->terms(first, last));
    move(i);
    of_term_.push_back(static_cast<std::uint32_t>(i));
  }
  begin_term();
}

bool TermMergeCursor::is_of_term(std::uint64_t start, const Rest& rest, std::string_view term) const {
  return start == start_ && rest == rest_ && (rest.bytes != kMoreBytes || term == term_);
}

void TermMergeCursor::set(std::size_t input, std::uint64_t start, const Rest& rest) {
  starts_[input / kTermStarts][input % kTermStarts] = start;
  rests_[input] = rest;
}

// Advances the cursor of an input. Returns whether its next entry has the least term, too.
bool TermMergeCursor::move(std::size_t input) {
  TermCursor& cursor = *cursors_[input];
  if (!cursor.next()) {
    set(input, kNoStart, {kNoStart, kDone});
    return false;
  }
  const std::string_view term = cursor.entry().term;
  const std::uint64_t start = byte_prefix(term);
  const Rest rest = rest_of(term);
  if (is_of_term(start, rest, term)) return true;
  set(input, start, rest);
  return false;
}

bool TermMergeCursor::advance() {
  if (move(of_term_[at_]) || ++at_ != of_term_.size()) return true;
  begin_term();
  return false;
}

bool TermMergeCursor::are_whole() const {
  return std::all_of(of_term_.begin(), of_term_.end(), [this](std::uint32_t i) { return cursors_[i]->ends_term(); });
}

void TermMergeCursor::advance_term() {
  for (const std::uint32_t input : of_term_) move(input);
  begin_term();
}

// Requires: all inputs of of_term_ have moved on. Only their groups can have another least start.
void TermMergeCursor::begin_term() {
  std::size_t done = 0;  // the groups before this one are up to date
  for (const std::uint32_t input : of_term_) {
    const std::size_t group = input / kTermStarts;
    if (group < done) continue;
    least_starts_[group] = least_start(starts_[group].data());
    done = group + 1;
  }
  of_term_.clear();
  at_ = 0;
  start_ = *std::min_element(least_starts_.begin(), least_starts_.end());
  for (std::size_t group = 0; group < starts_.size(); ++group) {
    if (least_starts_[group] != start_) continue;
    for (std::uint64_t equal = equal_starts(starts_[group].data(), start_); equal != 0; equal &= equal - 1) {
      collect(group * kTermStarts + static_cast<std::size_t>(std::countr_zero(equal)));
    }
  }
  if (of_term_.empty()) return;
  rest_ = rests_[of_term_.front()];
  if (rest_.bytes == kMoreBytes) term_ = entry().term;
}

// Compares the terms of two inputs, which share their first 8 bytes, like string_view::compare.
int TermMergeCursor::compare(std::size_t a, std::size_t b) const {
  const Rest &left = rests_[a], &right = rests_[b];
  if (left == right) {
    return left.bytes != kMoreBytes ? 0 : cursors_[a]->entry().term.compare(cursors_[b]->entry().term);
  }
  return left < right ? -1 : 1;
}

// Takes an input whose term has the least start. Of these, only the inputs of the least term stay.
void TermMergeCursor::collect(std::size_t input) {
  if (rests_[input].bytes == kDone) return;
  if (!of_term_.empty()) {
    const int order = compare(input, of_term_.front());
    if (order > 0) return;
    if (order < 0) of_term_.clear();
  }
  of_term_.push_back(static_cast<std::uint32_t>(input));
}

}  // namespace spillway
