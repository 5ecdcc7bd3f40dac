// Where records begin: tells whether one begins at a place, and searches for the next one in bytes that are no record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace spillway {

inline constexpr std::string_view kWarcMagic = "WARC/";

enum class WarcKind : std::uint8_t { kWarc, kArc };

// Bytes after a place that decide whether a record begins there.
constexpr std::size_t warc_start_bytes(WarcKind kind) { return kind == WarcKind::kWarc ? 96 : std::size_t{8} << 10; }

// Digits, a point, digits: "1.0".
bool is_warc_version(std::string_view text);
// Whether a record begins with `bytes`, at a place where one is expected: a version line, or a line of an ARC.
bool is_record_start(WarcKind kind, std::string_view bytes);
// The first place, from 0 up to and including `last`, that may begin a record, in bytes that are text or anything else;
// bytes.size() if there is none. In a WARC a field of the format must follow the version line, in an ARC the record
// must follow a line feed.
std::size_t find_record_start(WarcKind kind, std::string_view bytes, std::size_t last);

}  // namespace spillway
