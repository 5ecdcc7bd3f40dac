// The types of Arrow columns that a field of a document may have, as the format string of a schema names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace spillway {

// kText: 32-bit offsets (formats u and z), kLargeText: 64-bit offsets (U, Z), kTextView: vu, vz.
enum class ArrowType : std::uint8_t {
  kNull,
  kText,
  kLargeText,
  kTextView,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64
};

// Nothing for any other type.
std::optional<ArrowType> arrow_type(std::string_view format);
bool is_text(ArrowType type);
// Requires: an integer.
std::size_t integer_bytes(ArrowType type);

}  // namespace spillway
