// Numbers in keys as byte strings that compare as the numbers do. Each string is no prefix of another one.
#pragma once

#include <string>
#include <string_view>

namespace spillway {

// Each appends to `key` what the beginning of `text`, after blanks, says. O(text).

// A decimal number with an optional minus sign and fraction, of any length. Anything else counts as 0.
void append_number_key(std::string_view text, std::string& key);
// Such a number with a unit (K M G T P E Z Y): ordered by sign, then by unit, then by number.
void append_human_number_key(std::string_view text, std::string& key);
// What strtold() reads: texts that are no number, then NaNs, then numbers.
void append_general_number_key(std::string_view text, std::string& key);
// The name of a month by its first three letters: anything else, then January to December.
void append_month_key(std::string_view text, std::string& key);

// How many bytes of `text` each of them reads, blanks before the number included; for --debug.
std::size_t number_bytes(std::string_view text);
std::size_t human_number_bytes(std::string_view text);
std::size_t general_number_bytes(std::string_view text);
std::size_t month_bytes(std::string_view text);

}  // namespace spillway
