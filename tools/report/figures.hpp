// Numbers as people read them: sizes and rates in decimal units, counts with separators, times and shares.
#pragma once

#include <cstdint>
#include <string>

namespace spillway {

std::string bytes_text(std::uint64_t bytes);                        // "17 B", "1.25 MB"
std::string memory_text(std::uint64_t bytes);                       // "64.0 MiB"
std::string count_text(std::uint64_t count);                        // "1,234,567"
std::string seconds_text(double seconds);                           // "0.123 s", "4 min 5 s", "2 h 3 min"
std::string rate_text(std::uint64_t bytes, double seconds);         // "412 MB/s"
std::string percent_text(std::uint64_t part, std::uint64_t whole);  // "41.7 %"
std::string decimal_text(double value, int digits);                 // "3.14": `digits` after the point

// Pads `text` with blanks to `columns`, on the left for a column of numbers or on the right for a column of words.
std::string right_aligned(const std::string& text, std::size_t columns);
std::string left_aligned(const std::string& text, std::size_t columns);

}  // namespace spillway
