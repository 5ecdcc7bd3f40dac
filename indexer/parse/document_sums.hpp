// Checksum of a document's occurrences in a chunk, added up without reduction modulo 2^61 - 1 until the document ends.
#pragma once

#include <cstdint>

#include "io/checksum/content_checksum.hpp"

namespace spillway {

struct DocumentSums {
  unsigned __int128 lanes[2] = {0, 0};
  unsigned __int128 positions = 0;  // h_1(term) * position_value(position)

  // One occurrence; `position_weight` is 0 without positions.
  void add(const TermHash& hash, std::uint64_t position_weight) {
    lanes[0] += hash[0];
    lanes[1] += hash[1];
    positions += static_cast<unsigned __int128>(hash[1]) * position_weight;
  }
  // `document`: its number in the chunk.
  void add_to(ContentChecksum& sum, std::uint32_t document) const {
    if (lanes[0] == 0 && lanes[1] == 0) return;
    const std::uint64_t power = document_power(document);
    sum.add({field61::reduce(lanes[0]), field61::reduce(lanes[1])}, power);
    if (positions == 0) return;
    sum.positions = field61::add(sum.positions, field61::multiply(field61::reduce(positions), power));
  }
};

}  // namespace spillway
