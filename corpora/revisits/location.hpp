// Where a record of an archive begins, as a number that orders all records of the input.
#pragma once

#include <compare>
#include <cstdint>

namespace spillway {

struct RecordLocation {
  std::uint64_t file = 0;    // number in the plan of the input
  std::uint64_t offset = 0;  // unpacked, as InputPosition::offset
  auto operator<=>(const RecordLocation&) const = default;
};

}  // namespace spillway
