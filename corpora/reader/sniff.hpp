// Recognises compression and format by the first bytes of an input.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "corpora/document/corpus_options.hpp"

namespace spillway {

// Number of first bytes, after unpacking, that decide about the format.
inline constexpr std::size_t kFormatSniffBytes = 4096;

// `format`: what the input is read as. A zip file is one only where it may be a WACZ: read as auto or warc.
Compression sniff_compression(std::string_view head, CorpusFormat format = CorpusFormat::kAuto);
inline constexpr std::string_view kZipMagic = "PK\3\4";

// Returns html, jsonl, tar, trec, warc or text for the first unpacked bytes of an input; nullopt for binary data.
// `is_whole`: the input ends with the head.
std::optional<CorpusFormat> sniff_format(std::string_view head, bool is_whole);

// The compression of a file that is named as one of a crawl, such as crawl.warc.gz; nullopt for other names. The
// content of a file counts first, but its first bytes may be damaged.
std::optional<Compression> compression_of_crawl(std::string_view path);

}  // namespace spillway
