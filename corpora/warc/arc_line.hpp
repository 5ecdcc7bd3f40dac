// The line that begins a record of an ARC file: "URL IP-address date type length" in version 1, and five more fields
// between type and length in version 2. A URL may contain spaces, so the line is read from its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace spillway {

inline constexpr std::size_t kMaxArcLineBytes = std::size_t{64} << 10;

// Views into the line.
struct ArcLine {
  std::string_view uri, date, type;
  std::optional<std::uint64_t> length;  // nullopt: not a number
};

// `line`: without its line feed. nullopt unless it has a URL, an address and a date.
std::optional<ArcLine> parse_arc_line(std::string_view line);

}  // namespace spillway
