// Text for the benchmarks: Zipf words from a fixed seed, so that every machine measures the same bytes.
#pragma once

#include <string>

#include "corpora/synthetic/generate_text.hpp"

namespace spillway {

inline std::string bench_text(std::uint64_t bytes, GeneratedFormat format) {
  GenerateTextOptions options;
  options.total_bytes = bytes;
  options.format = format;
  std::string text;
  text.reserve(bytes);
  generate_text(options, [&](std::string_view fragment) { text += fragment; });
  return text;
}

}  // namespace spillway
