#include "tools/commands/sort/options/record_options.hpp"

#include <string>

#include "sort/lines/block/items.hpp"
#include "tools/commands/sort/options/message.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kMostRecordBytes = kManyBytes - 1;

}  // namespace

void use_records(const RecordOptions& records, LineOrder& order) {
  if (!records.record_bytes) {
    const bool has_key = records.key_bytes || records.key_offset;
    if (has_key) throw SortError("--key-size and --key-offset are for records; give their size with --record-size");
    return;
  }
  const std::uint64_t size = *records.record_bytes, offset = records.key_offset.value_or(0);
  if (size == 0 || size > kMostRecordBytes) {
    throw SortError("--record-size " + std::to_string(size) + ": records have 1 to " +
                    std::to_string(kMostRecordBytes) + " bytes");
  }
  const std::uint64_t key = records.key_bytes.value_or(offset < size ? size - offset : 0);
  if (key == 0 || offset >= size || key > size - offset) {
    throw SortError("a key of " + std::to_string(key) + " bytes at byte " + std::to_string(offset) +
                    " is not inside records of " + std::to_string(size) +
                    " bytes; change --key-size, --key-offset or --record-size");
  }
  order.format = LineFormat('\n', static_cast<std::uint32_t>(size));
  // The bytes after the key break ties, so that the whole record is one key.
  const bool breaks_ties = !order.is_stable && !order.is_unique;
  if (offset == 0 && (key == size || breaks_ties)) return;
  LineKey record_key;
  record_key.place.begin_byte = offset;
  record_key.place.end_field = 0;
  record_key.place.end_byte = offset + key;
  record_key.rule.is_reversed = order.is_reversed;
  order.keys = {record_key};
}

}  // namespace spillway
