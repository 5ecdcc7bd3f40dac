#include "merge/run/postings_concatenator.hpp"

#include <algorithm>
#include <utility>

#include "merge/run/list_fragments.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMaxGapBytes = 5;  // of a u32 gap and its flag bit
constexpr std::size_t kMaxPostingBytes = 10;

}  // namespace

PostingsConcatenator::PostingsConcatenator(std::size_t block_bytes, bool has_positions, TakeBlock take_block,
                                           SeeEntry see_entry)
    : builder_(block_bytes, has_positions),
      has_positions_(has_positions),
      take_block_(std::move(take_block)),
      see_entry_(std::move(see_entry)) {}

void PostingsConcatenator::write(std::string_view term, std::vector<ListFragment>& fragments) {
  if (concatenate(fragments) && write(term, concatenated_)) return;
  if (!has_positions_) return write_split(term, fragments);
  for (const ListFragment& fragment : fragments) add_positioned(term, PositionedFragment(fragment));
  if (!entry_.empty()) write_positioned_entry(term);
}

bool PostingsConcatenator::write(std::string_view term, const ConcatenatedEntry& entry) {
  if (!fits(term, entry)) return false;
  put(term, entry);
  return true;
}

// Counts as write_split() and add_positioned() do, so all of them end blocks at the same entries.
bool PostingsConcatenator::fits(std::string_view term, const ConcatenatedEntry& entry) const {
  const std::size_t head_bytes = has_positions_ ? PositionedFragment::kMaxHeadBytes : kMaxGapBytes;
  return entry.fragment_bytes() + entry.count() * head_bytes <= builder_.room(term);
}

void PostingsConcatenator::put(std::string_view term, const ConcatenatedEntry& entry) {
  RunEntry head = entry.head();
  head.term = term;
  entry.write(builder_.add(head, entry.posting_bytes(), entry.position_bytes()));
  if (see_entry_) see_entry_(head);
}

// Fills concatenated_. Returns false if neighbours share a document.
bool PostingsConcatenator::concatenate(std::span<const ListFragment> fragments) {
  concatenated_.clear();
  return std::all_of(fragments.begin(), fragments.end(),
                     [this](const ListFragment& fragment) { return concatenated_.add(fragment); });
}

void PostingsConcatenator::write_whole(std::string_view term, const ListFragment& fragment) {
  if (see_entry_ || fragment.postings.size() + kMaxGapBytes > builder_.room(term)) {
    whole_.assign(1, fragment);
    write(term, whole_);
    return;
  }
  RunEntry head;
  head.term = term;
  head.document_count = fragment.document_count;
  head.occurrence_count = fragment.occurrence_count;
  head.last_document = fragment.last_document;
  head.postings = fragment.postings;
  builder_.add(head);
}

// Writes as many fragments as fit to each entry; splits a fragment that does not fit an empty block.
void PostingsConcatenator::write_split(std::string_view term, std::vector<ListFragment>& fragments) {
  rewritten_.clear();
  add_border_frequencies(fragments);
  std::size_t begin = 0, bytes = 0;  // of the entry
  std::size_t room = builder_.room(term);
  for (std::size_t i = 0; i < fragments.size();) {
    const std::size_t need = fragments[i].postings.size() + kMaxGapBytes;
    if (bytes + need <= room) {
      bytes += need;
      ++i;
      continue;
    }
    if (i > begin) write_entry(term, {fragments.data() + begin, i - begin});
    begin = i;
    bytes = 0;
    if (builder_.empty()) {
      const ListFragment head = split_head(fragments[i], room - 2 * kMaxPostingBytes);
      write_entry(term, {&head, 1});
      if (fragments[i].document_count == 0) begin = ++i;
    }
    end_block();
    room = builder_.room(term);
  }
  if (begin < fragments.size()) write_entry(term, {fragments.data() + begin, fragments.size() - begin});
}

void PostingsConcatenator::add_border_frequencies(std::vector<ListFragment>& fragments) {
  std::size_t kept = 0;
  for (std::size_t i = 1; i < fragments.size(); ++i) {
    std::uint64_t extra = 0;
    if (first_document(fragments[i]) == fragments[kept].last_document) extra = drop_first_posting(fragments[i]);
    if (extra != 0) add_to_last_frequency(fragments[kept], extra, rewritten_.emplace_back());
    if (fragments[i].document_count == 0) continue;
    fragments[++kept] = fragments[i];
  }
  fragments.resize(kept + 1);
}

void PostingsConcatenator::write_entry(std::string_view term, std::span<const ListFragment> fragments) {
  if (!concatenate(fragments)) fail_fragment();
  put(term, concatenated_);
}

// A posting that is cut between fragments stays cut, between two entries: positions count from 0 in each.
void PostingsConcatenator::add_positioned(std::string_view term, PositionedFragment fragment) {
  while (true) {
    const bool goes_on = !entry_.empty() && entry_.back().last_document() == fragment.first_document();
    if (!goes_on && entry_bytes_ + fragment.max_bytes() <= builder_.room(term)) {
      entry_bytes_ += fragment.max_bytes();
      entry_.push_back(fragment);
      return;
    }
    if (!entry_.empty()) {
      write_positioned_entry(term);
    } else if (!builder_.empty()) {
      end_block();
    } else {
      entry_.push_back(fragment.split_head(builder_.room(term)));
      write_positioned_entry(term);
      end_block();
      if (fragment.empty()) return;
    }
  }
}

void PostingsConcatenator::write_positioned_entry(std::string_view term) {
  RunEntry head;
  head.term = term;
  std::size_t posting_bytes = 0, position_bytes = 0;
  for (const PositionedFragment& fragment : entry_) {
    posting_bytes += fragment.posting_bytes(head.last_document);
    position_bytes += fragment.position_bytes();
    head.document_count += fragment.document_count();
    head.occurrence_count += fragment.occurrence_count();
    head.last_document = fragment.last_document();
  }
  std::uint8_t* to = builder_.add(head, posting_bytes, position_bytes);
  std::uint32_t previous = 0;
  for (const PositionedFragment& fragment : entry_) {
    to = fragment.write_postings(to, previous);
    previous = fragment.last_document();
  }
  for (const PositionedFragment& fragment : entry_) to = fragment.write_positions(to);
  if (see_entry_) see_entry_(head);
  entry_.clear();
  entry_bytes_ = 0;
}

void PostingsConcatenator::end_block() { take_block_(builder_.finish()); }

void PostingsConcatenator::finish() {
  if (!builder_.empty()) end_block();
}

}  // namespace spillway
