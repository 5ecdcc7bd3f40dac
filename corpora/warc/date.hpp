// Dates as records of web archives and --since write them.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace spillway {

// Reads 2024, 2024-05, 2024-05-01, 2024-05-01T12:30Z and 2024-05-01T12:30:00.5Z; also the digits alone, as in ARC
// files: 20240501123000. What is missing is the first month, day, hour, minute or second; without Z or an offset such
// as +02:00, the time is UTC. Fractions of a second are dropped. Returns nothing if the text is no such date.
std::optional<std::chrono::sys_seconds> parse_crawl_date(std::string_view text);

}  // namespace spillway
