// Converts the text of options to values. Throws UsageError with the option's name, the expected form and the text
// found.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/command.hpp"

namespace spillway {

// Bytes from digits and a unit: none or B; K M G T or KiB MiB GiB TiB (powers of 1024); KB MB GB TB (powers of 1000);
// or % of `default_bytes`, if there is a default. Refuses 0 and 2^64 bytes or more. `option` is the name with its
// dashes.
std::uint64_t parse_size(std::string_view option, std::string_view text,
                         std::optional<std::uint64_t> default_bytes = std::nullopt);

// A whole number in [least, most].
std::uint64_t parse_count(std::string_view option, std::string_view text, std::uint64_t least, std::uint64_t most);

// A decimal number in [least, most].
double parse_real(std::string_view option, std::string_view text, double least, double most);

// The index of `text` in `choices`.
std::size_t parse_choice(std::string_view option, std::string_view text, const std::vector<std::string>& choices);

// Splits "a,b,c" at commas. Refuses empty parts.
std::vector<std::string> parse_list(std::string_view option, std::string_view text);

// Each of these sets `value` if the option (without dashes) was given, and leaves it otherwise.
template <std::unsigned_integral Number>
void take_count(const Arguments& arguments, const char* option, std::uint64_t least, std::uint64_t most,
                Number& value) {
  if (const auto text = arguments.text(option)) {
    value = static_cast<Number>(parse_count(std::string("--") + option, *text, least, most));
  }
}
// For options of add_choice, whose choices are in the order of the enum.
template <typename Enum>
void take_choice(const Arguments& arguments, const char* option, Enum& value) {
  if (const auto text = arguments.text(option)) {
    value = static_cast<Enum>(parse_choice(std::string("--") + option, *text, arguments.choices(option)));
  }
}
void take_size(const Arguments& arguments, const char* option, std::uint64_t& value,
               std::optional<std::uint64_t> default_bytes = std::nullopt);
void take_real(const Arguments& arguments, const char* option, double least, double most, double& value);

}  // namespace spillway
