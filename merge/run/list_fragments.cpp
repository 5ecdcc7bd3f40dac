#include "merge/run/list_fragments.hpp"

#include <algorithm>
#include <limits>

#include "io/base/error.hpp"
#include "io/base/varint.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMaxPostingBytes = 10;
constexpr std::uint64_t kMostU32 = std::numeric_limits<std::uint32_t>::max();

// Postings that take at most one byte for the gap and one for the frequency.
struct ShortPostings {
  std::uint64_t gaps = 0, occurrences = 0;
  std::uint32_t documents = 0;
  const std::uint8_t* next = nullptr;
};

// Skips short postings while more than 2 bytes are left. Does not branch on their shape, which is hard to predict.
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

}  // namespace

void fail_fragment() {
  throw FormatError(
      "a postings list does not hold what its head says; the run or the memory of this machine is corrupt");
}

EncodedPosting take_posting(std::span<const std::uint8_t>& bytes) {
  const std::uint8_t* at = bytes.data();
  const std::uint8_t* const end = at + bytes.size();
  EncodedPosting posting;
  std::uint64_t word = 0;
  if (!read_varint(&at, end, &word)) fail_fragment();
  posting.gap = word >> 1;
  if ((word & 1) == 0 && !read_varint(&at, end, &posting.frequency)) fail_fragment();
  if (posting.gap > kMostU32 || posting.frequency == 0 || posting.frequency > kMostU32) fail_fragment();
  bytes = {at, end};
  return posting;
}

std::uint32_t first_document(const ListFragment& fragment) {
  std::span<const std::uint8_t> bytes = fragment.postings;
  return fragment.base + static_cast<std::uint32_t>(take_posting(bytes).gap);
}

std::uint64_t drop_first_posting(ListFragment& fragment) {
  const EncodedPosting first = take_posting(fragment.postings);
  fragment.base += static_cast<std::uint32_t>(first.gap);
  if (fragment.document_count == 0 || first.frequency > fragment.occurrence_count) fail_fragment();
  fragment.occurrence_count -= first.frequency;
  --fragment.document_count;
  return first.frequency;
}

void add_to_last_frequency(ListFragment& fragment, std::uint64_t extra, std::vector<std::uint8_t>& bytes) {
  std::span<const std::uint8_t> rest = fragment.postings;
  std::size_t kept = 0;
  EncodedPosting last;
  do {
    kept = fragment.postings.size() - rest.size();
    last = take_posting(rest);
  } while (!rest.empty());
  bytes.resize(kept + 2 * kMaxPostingBytes);
  std::copy_n(fragment.postings.data(), kept, bytes.data());
  std::uint8_t* to = write_varint(bytes.data() + kept, last.gap << 1);
  to = write_varint(to, last.frequency + extra);
  bytes.resize(static_cast<std::size_t>(to - bytes.data()));
  fragment.postings = bytes;
  fragment.occurrence_count += extra;
}

ListFragment split_head(ListFragment& fragment, std::size_t max_bytes) {
  ListFragment head = fragment;
  const std::uint8_t* const begin = fragment.postings.data();
  const std::uint8_t* const end = begin + fragment.postings.size();
  const std::uint8_t* const most = begin + std::min(max_bytes, fragment.postings.size());
  const std::uint8_t* at = begin;
  head.document_count = 0;
  head.occurrence_count = 0;
  head.last_document = fragment.base;
  while (true) {
    const ShortPostings skipped = skip_short_postings(at, most);
    head.last_document += static_cast<std::uint32_t>(skipped.gaps);
    head.occurrence_count += skipped.occurrences;
    head.document_count += skipped.documents;
    at = skipped.next;
    if (at == end) break;
    std::span<const std::uint8_t> rest(at, end);
    const EncodedPosting posting = take_posting(rest);
    if (head.document_count != 0 && static_cast<std::size_t>(rest.data() - begin) > max_bytes) break;
    head.last_document += static_cast<std::uint32_t>(posting.gap);
    head.occurrence_count += posting.frequency;
    ++head.document_count;
    at = rest.data();
  }
  head.postings = {begin, at};
  fragment.postings = {at, end};
  fragment.base = head.last_document;
  if (head.document_count > fragment.document_count || head.occurrence_count > fragment.occurrence_count ||
      (at == end) != (head.document_count == fragment.document_count)) {
    fail_fragment();
  }
  fragment.document_count -= head.document_count;
  fragment.occurrence_count -= head.occurrence_count;
  return head;
}

}  // namespace spillway
