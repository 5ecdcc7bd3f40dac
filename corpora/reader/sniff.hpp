// What bytes are, by looking at their start.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "corpora/document/corpus_options.hpp"

namespace spillway {

// So many first bytes decide about the format, of packed inputs the unpacked ones; all that are there if there are
// fewer.
inline constexpr std::size_t kFormatSniffBytes = 4096;

Compression sniff_compression(std::string_view head);

// Of unpacked bytes; `is_whole`: the input ends with the head. jsonl, trec or text; nullopt: binary.
std::optional<CorpusFormat> sniff_format(std::string_view head, bool is_whole);

}  // namespace spillway
