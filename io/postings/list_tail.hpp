// Reads the last postings of a list, fewer than a block (docs/formats.md). For cursors over whole lists
// (io/index/postings_cursor.cpp) and over blocks in any order (io/index/list_blocks.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/base/varint.hpp"

namespace spillway {

struct ListTail {
  const std::uint8_t *at, *end;  // begin of the tail, end of the list
  std::size_t count;             // number of postings
  bool all_once;                 // all frequencies of the list are 1 and are not stored
  std::uint64_t next_document;   // least possible value of the next document
  std::uint64_t document_limit;  // all documents are below it
};

// Writes tail.count ascending documents and their frequencies. Moves tail.at past them and tail.next_document past the
// last one. Calls fail(expected, found), which throws, if the bytes are malformed.
template <typename Fail>
void decode_list_tail(ListTail& tail, std::uint32_t* documents, std::uint32_t* frequencies, const Fail& fail) {
  for (std::size_t i = 0; i < tail.count; ++i) {
    std::uint64_t gap = 0, frequency = 1;
    if (!read_varint(&tail.at, tail.end, &gap)) fail("a posting", "the end of the list");
    if (!tail.all_once) {
      const bool once = (gap & 1) != 0;
      gap >>= 1;
      if (!once && (!read_varint(&tail.at, tail.end, &frequency) || frequency < 2 || frequency >> 32 != 0)) {
        fail("a frequency of 2 to 2^32 - 1", "the end of the list or another");
      }
    }
    if (tail.next_document >= tail.document_limit || gap >= tail.document_limit - tail.next_document) {
      fail("a document below " + std::to_string(tail.document_limit), "a gap of " + std::to_string(gap));
    }
    tail.next_document += gap;
    documents[i] = static_cast<std::uint32_t>(tail.next_document++);
    frequencies[i] = static_cast<std::uint32_t>(frequency);
  }
}

}  // namespace spillway
