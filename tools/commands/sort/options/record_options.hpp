// Options for records of one size: --record-size, --key-size, --key-offset.
#pragma once

#include <cstdint>
#include <optional>

#include "sort/lines/keys/order.hpp"

namespace spillway {

// As they are given.
struct RecordOptions {
  std::optional<std::uint64_t> record_bytes, key_bytes, key_offset;
};

// Sets the format and the key of records, if there are such. Throws SortError for sizes that do not fit each other.
void use_records(const RecordOptions& records, LineOrder& order);

}  // namespace spillway
