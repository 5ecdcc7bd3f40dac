// Reads and changes the encoded postings of list fragments (io/format/run.hpp). Malformed bytes, and counts that do not
// match them, are a FormatError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/format/run.hpp"

namespace spillway {

struct EncodedPosting {
  std::uint64_t gap = 0, frequency = 1;  // both below 2^32
};

// Removes the next posting from `bytes`.
EncodedPosting take_posting(std::span<const std::uint8_t>& bytes);

std::uint32_t first_document(const ListFragment& fragment);

// Removes the first posting; returns its frequency. O(1).
std::uint64_t drop_first_posting(ListFragment& fragment);

// Adds `extra` to the last frequency, for which the fragment's postings are copied to `bytes`. O(postings).
void add_to_last_frequency(ListFragment& fragment, std::uint64_t extra, std::vector<std::uint8_t>& bytes);

// Cuts off and returns the longest head of at most `max_bytes` (at least one posting); `fragment` keeps the tail, which
// may be empty. O(postings of the head).
ListFragment split_head(ListFragment& fragment, std::size_t max_bytes);

[[noreturn]] void fail_fragment();

}  // namespace spillway
