// Turns the text of options into values, or refuses it with the option's name, what was expected and what was found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// Digits and a unit: none or B (bytes); K M G T or KiB MiB GiB TiB (powers of 1024); KB MB GB TB (powers of 1000); or a
// percentage of `default_bytes`, where there is a default. `option` ("--memory") names it in the UsageError that
// nonsense, 0 and overflow get.
std::uint64_t parse_size(std::string_view option, std::string_view text,
                         std::optional<std::uint64_t> default_bytes = std::nullopt);

// A whole number in [least, most].
std::uint64_t parse_count(std::string_view option, std::string_view text, std::uint64_t least, std::uint64_t most);

// A decimal number in [least, most].
double parse_real(std::string_view option, std::string_view text, double least, double most);

// The index of `text` in `choices`.
std::size_t parse_choice(std::string_view option, std::string_view text, const std::vector<std::string>& choices);

// "a,b,c" to its parts; empty parts are refused.
std::vector<std::string> parse_list(std::string_view option, std::string_view text);

}  // namespace spillway
