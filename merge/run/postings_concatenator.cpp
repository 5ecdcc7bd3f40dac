#include "merge/run/postings_concatenator.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMaxGapBytes = 5;  // of a u32 gap and its flag bit
constexpr std::size_t kMaxPostingBytes = 10;

struct Posting {
  std::uint64_t gap = 0;
  std::uint64_t frequency = 1;
  const std::uint8_t* next = nullptr;
};

[[noreturn]] void fail() {
  throw FormatError(
      "a postings list does not hold what its head says; the run or the memory of this machine is corrupt");
}

Posting read_posting(const std::uint8_t* at, const std::uint8_t* end) {
  Posting posting;
  std::uint64_t word = 0;
  if (!read_varint(&at, end, &word)) fail();
  posting.gap = word >> 1;
  if ((word & 1) == 0 && !read_varint(&at, end, &posting.frequency)) fail();
  posting.next = at;
  return posting;
}

// Postings of at most a byte of gap and a byte of frequency, from `at` on, while more than 2 bytes are left up to
// `end`.
struct ShortPostings {
  std::uint64_t gaps = 0, occurrences = 0;
  std::uint32_t documents = 0;
  const std::uint8_t* next = nullptr;
};

// Without a branch on their shape, which would often be mispredicted.
ShortPostings skip_short_postings(const std::uint8_t* at, const std::uint8_t* end) {
  ShortPostings skipped;
  for (; end - at > 2; ++skipped.documents) {
    const unsigned word = at[0], second = at[1], single = word & 1;
    const unsigned frequency = single | (second & (single - 1));
    if (((word | frequency) & 0x80) != 0) break;
    skipped.gaps += word >> 1;
    skipped.occurrences += frequency;
    at += 2 - single;
  }
  skipped.next = at;
  return skipped;
}

std::uint32_t first_document(const ListFragment& part) {
  const std::uint8_t* at = part.postings.data();
  return part.base + static_cast<std::uint32_t>(read_posting(at, at + part.postings.size()).gap);
}

// Takes the first posting off a part; returns its frequency.
std::uint64_t drop_first(ListFragment& part) {
  const std::uint8_t* at = part.postings.data();
  const Posting first = read_posting(at, at + part.postings.size());
  part.base += static_cast<std::uint32_t>(first.gap);
  part.postings = part.postings.subspan(static_cast<std::size_t>(first.next - at));
  if (part.document_count == 0 || first.frequency > part.occurrence_count) fail();
  part.occurrence_count -= first.frequency;
  --part.document_count;
  return first.frequency;
}

// The part with `extra` added to its last frequency, its bytes in `bytes`.
void add_to_last(ListFragment& part, std::uint64_t extra, std::vector<std::uint8_t>& bytes) {
  const std::uint8_t* at = part.postings.data();
  const std::uint8_t* const end = at + part.postings.size();
  Posting last = read_posting(at, end);
  while (last.next != end) {
    at = last.next;
    last = read_posting(at, end);
  }
  const std::size_t kept = static_cast<std::size_t>(at - part.postings.data());
  bytes.resize(kept + 2 * kMaxPostingBytes);
  std::copy(part.postings.data(), at, bytes.data());
  std::uint8_t* to = write_varint(bytes.data() + kept, last.gap << 1);
  to = write_varint(to, last.frequency + extra);
  bytes.resize(static_cast<std::size_t>(to - bytes.data()));
  part.postings = bytes;
  part.occurrence_count += extra;
}

// Cuts off the longest head of at most max_bytes (at least one posting); `part` keeps the tail.
ListFragment split_head(ListFragment& part, std::size_t max_bytes) {
  ListFragment head = part;
  const std::uint8_t* const begin = part.postings.data();
  const std::uint8_t* const end = begin + part.postings.size();
  const std::uint8_t* at = begin;
  head.document_count = 0;
  head.occurrence_count = 0;
  head.last_document = part.base;
  const std::uint8_t* const most = begin + std::min(max_bytes, part.postings.size());
  while (true) {
    const ShortPostings skipped = skip_short_postings(at, most);
    head.last_document += static_cast<std::uint32_t>(skipped.gaps);
    head.occurrence_count += skipped.occurrences;
    head.document_count += skipped.documents;
    at = skipped.next;
    if (at == end) break;
    const Posting posting = read_posting(at, end);
    if (head.document_count != 0 && static_cast<std::size_t>(posting.next - begin) > max_bytes) break;
    head.last_document += static_cast<std::uint32_t>(posting.gap);
    head.occurrence_count += posting.frequency;
    ++head.document_count;
    at = posting.next;
  }
  head.postings = {begin, at};
  part.postings = {at, end};
  part.base = head.last_document;
  if (head.document_count > part.document_count || head.occurrence_count > part.occurrence_count ||
      (at == end) != (head.document_count == part.document_count)) {
    fail();
  }
  part.document_count -= head.document_count;
  part.occurrence_count -= head.occurrence_count;
  return head;
}

}  // namespace

PostingsConcatenator::PostingsConcatenator(std::size_t block_bytes, bool has_positions, TakeBlock take_block,
                                           SeeEntry see_entry)
    : builder_(block_bytes, has_positions),
      has_positions_(has_positions),
      take_block_(std::move(take_block)),
      see_entry_(std::move(see_entry)) {}

void PostingsConcatenator::add_border_frequencies(std::vector<ListFragment>& parts) {
  std::size_t kept = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::uint64_t extra = 0;
    if (first_document(parts[i]) == parts[kept].last_document) extra = drop_first(parts[i]);
    if (extra != 0) add_to_last(parts[kept], extra, rewritten_.emplace_back());
    if (parts[i].document_count == 0) continue;
    parts[++kept] = parts[i];
  }
  parts.resize(kept + 1);
}

void PostingsConcatenator::write(std::string_view term, std::vector<ListFragment>& parts) {
  if (write_joined(term, parts)) return;
  if (has_positions_) {
    write_positioned(term, parts);
    return;
  }
  rewritten_.clear();
  if (parts.size() > 1) add_border_frequencies(parts);
  std::size_t begin = 0;  // of the entry
  std::size_t bytes = 0;
  std::size_t room = builder_.room(term);
  for (std::size_t i = 0; i < parts.size();) {
    const std::size_t need = parts[i].postings.size() + kMaxGapBytes;
    if (bytes + need <= room) {
      bytes += need;
      ++i;
      continue;
    }
    if (i > begin) write_entry(term, {parts.data() + begin, i - begin});
    begin = i;
    bytes = 0;
    if (!builder_.empty()) {
      start_block();
    } else {
      const ListFragment head = split_head(parts[i], room - 2 * kMaxPostingBytes);
      write_entry(term, {&head, 1});
      if (parts[i].document_count == 0) begin = ++i;
      start_block();
    }
    room = builder_.room(term);
  }
  if (begin < parts.size()) write_entry(term, {parts.data() + begin, parts.size() - begin});
}

// It fits by the bytes that write() of the parts counts, or by more: both make the same entries.
bool PostingsConcatenator::write(std::string_view term, const JoinedEntry& entry) {
  const std::size_t head_bytes = has_positions_ ? PositionedFragment::kMaxHeadBytes : kMaxGapBytes;
  if (entry.part_bytes() + entry.joints().size() * head_bytes > builder_.room(term)) return false;
  RunEntry piece = entry.head();
  piece.term = term;
  std::uint8_t* to = builder_.add(piece, entry.posting_bytes(), entry.position_bytes());
  for (const JoinedEntry::Joint& joint : entry.joints()) {
    to = copy_bytes(joint.postings, write_varint(to, joint.first_word));
  }
  if (has_positions_) {
    for (const JoinedEntry::Joint& joint : entry.joints()) to = copy_bytes(joint.positions, to);
  }
  if (see_entry_) see_entry_(piece);
  return true;
}

bool PostingsConcatenator::write_joined(std::string_view term, std::span<const ListFragment> parts) {
  joined_.clear();
  return std::all_of(parts.begin(), parts.end(), [this](const ListFragment& part) { return joined_.add(part); }) &&
         write(term, joined_);
}

void PostingsConcatenator::write_whole(std::string_view term, const ListFragment& part) {
  if (see_entry_ || part.postings.size() + kMaxGapBytes > builder_.room(term)) {
    whole_.assign(1, part);
    write(term, whole_);
    return;
  }
  RunEntry piece;
  piece.term = term;
  piece.document_count = part.document_count;
  piece.occurrence_count = part.occurrence_count;
  piece.last_document = part.last_document;
  piece.postings = part.postings;
  builder_.add(piece);
}

void PostingsConcatenator::write_entry(std::string_view term, std::span<const ListFragment> parts) {
  RunEntry piece;
  piece.term = term;
  pieces_.clear();
  gaps_.resize(parts.size() * kMaxPostingBytes);
  std::uint8_t* gap = gaps_.data();
  std::uint32_t previous = 0;
  for (const ListFragment& part : parts) {
    const std::uint8_t* at = part.postings.data();
    const std::uint8_t* const end = at + part.postings.size();
    std::uint64_t word = 0;
    if (!read_varint(&at, end, &word)) fail();
    const std::uint64_t document = part.base + (word >> 1);
    std::uint8_t* const gap_end = write_varint(gap, (document - previous) << 1 | (word & 1));
    pieces_.emplace_back(gap, gap_end);
    pieces_.emplace_back(at, end);
    gap = gap_end;
    previous = part.last_document;
    piece.document_count += part.document_count;
    piece.occurrence_count += part.occurrence_count;
  }
  piece.last_document = previous;
  builder_.add(piece, pieces_, {});
  if (see_entry_) see_entry_(piece);
}

void PostingsConcatenator::write_positioned(std::string_view term, std::span<const ListFragment> parts) {
  for (const ListFragment& part : parts) add_positioned(term, PositionedFragment(part));
  if (!entry_.empty()) write_positioned_entry(term);
}

// A posting that is cut between parts stays cut, between two entries: positions count from 0 in each.
void PostingsConcatenator::add_positioned(std::string_view term, PositionedFragment part) {
  while (true) {
    const bool goes_on = !entry_.empty() && entry_.back().last_document() == part.first_document();
    if (!goes_on && entry_bytes_ + part.max_bytes() <= builder_.room(term)) {
      entry_bytes_ += part.max_bytes();
      entry_.push_back(part);
      return;
    }
    if (!entry_.empty()) {
      write_positioned_entry(term);
    } else if (!builder_.empty()) {
      start_block();
    } else {
      entry_.push_back(part.split_head(builder_.room(term)));
      write_positioned_entry(term);
      start_block();
      if (part.empty()) return;
    }
  }
}

void PostingsConcatenator::write_positioned_entry(std::string_view term) {
  RunEntry piece;
  piece.term = term;
  pieces_.clear();
  position_pieces_.clear();
  gaps_.resize(entry_.size() * 2 * PositionedFragment::kMaxHeadBytes);
  std::uint8_t* head = gaps_.data();
  for (const PositionedFragment& part : entry_) {
    std::uint8_t* const posting_end = part.write_first_posting(head, piece.last_document);
    std::uint8_t* const distance_end = part.write_first_distance(posting_end);
    pieces_.emplace_back(head, posting_end);
    pieces_.push_back(part.postings());
    position_pieces_.emplace_back(posting_end, distance_end);
    position_pieces_.push_back(part.positions());
    head = distance_end;
    piece.document_count += part.document_count();
    piece.occurrence_count += part.occurrence_count();
    piece.last_document = part.last_document();
  }
  builder_.add(piece, pieces_, position_pieces_);
  if (see_entry_) see_entry_(piece);
  entry_.clear();
  entry_bytes_ = 0;
}

void PostingsConcatenator::start_block() { take_block_(builder_.finish()); }

void PostingsConcatenator::finish() {
  if (!builder_.empty()) start_block();
}

}  // namespace spillway
