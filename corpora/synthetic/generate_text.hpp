// Generates documents of random Zipf-Mandelbrot words (corpora/synthetic/zipf_words.hpp) from a seed, for tests and
// benchmarks. The same options give the same bytes on every machine and with any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace spillway {

enum class GeneratedFormat : std::uint8_t {
  kJsonl,  // {"id":"1","title":"...","text":"..."}, ids from 1
  kLines   // one document per line
};

enum class LengthDistribution : std::uint8_t { kFixed, kLognormal };

struct GenerateTextOptions {
  std::uint64_t seed = 1;
  // The two limits; 0 is no limit, and at least one must be set. Generation stops before the document that would exceed
  // total_bytes.
  std::uint64_t total_bytes = 0;
  std::uint64_t documents = 0;
  GeneratedFormat format = GeneratedFormat::kJsonl;
  // Vocabulary 1 to 2^32 - 1 words; exponent 0 (uniform) to 16; shift 0 to 10^6. The defaults resemble English.
  std::uint64_t vocabulary = 1000000;
  double exponent = 1.07;
  double shift = 2.7;
  // Words per text: the mean, 1 to kMaxGeneratedWords, and for kLognormal the standard deviation of the logarithm, 0
  // to 4.
  double mean_words = 300;
  LengthDistribution distribution = LengthDistribution::kLognormal;
  double spread = 0.8;
  std::uint32_t title_words = 5;      // 0: no title; at most 1000; kJsonl only
  std::uint32_t words_per_line = 12;  // words between newlines in the text; 0: no newlines; kJsonl only
  unsigned threads = 1;
};
inline constexpr std::uint64_t kMaxGeneratedWords = std::uint64_t{1} << 24;

struct GeneratedText {
  std::uint64_t documents = 0;
  std::uint64_t bytes = 0;
};

// Hands the bytes to `write`, in order and in blocks of about 1 MB, from one thread at a time. An exception of `write`
// ends the work and is rethrown. Throws UsageError for options out of range. Memory: about 2 MiB per thread, or the
// size of a document if that is more.
GeneratedText generate_text(const GenerateTextOptions& options, const std::function<void(std::string_view)>& write);

}  // namespace spillway
