// Values of the options of `spillway sort`, read as GNU sort reads them. Each function throws SortError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace spillway {

enum class SortPacking { kNone, kGzip, kZstd };

// -S, or --buffer-size: the name is for messages. Returns bytes.
std::uint64_t parse_buffer_size(const std::string& option, const char* text);
std::size_t parse_batch_size(const char* text);
// Returns the greatest number for one that is greater.
std::size_t parse_thread_count(const char* text);
// A plain number; the name is for messages. Returns the greatest number for one that is greater.
std::uint64_t parse_count(const std::string& option, const char* text);
char parse_separator(const std::string& text);
// The short options that the words of --sort and --check stand for.
char parse_sort_word(const std::string& text);
char parse_check_word(const std::string& text);
// The word of --output-compress.
SortPacking parse_output_packing(const std::string& text);
// Whether the word of --unpack is auto, and not never.
bool parse_unpack_word(const std::string& text);

}  // namespace spillway
