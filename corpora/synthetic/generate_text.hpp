// Text without data: seeded documents of Zipf-Mandelbrot words (corpora/synthetic/zipf_words.hpp), for tests and
// benchmarks. The same options give the same bytes on every machine and with any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace spillway {

enum class GeneratedFormat : std::uint8_t {
  kJsonl,  // {"id":"1","title":"...","text":"..."}, ids from 1 on
  kLines   // a document a line
};

enum class LengthDistribution : std::uint8_t { kFixed, kLognormal };

struct GenerateTextOptions {
  std::uint64_t seed = 1;
  // How much: what is reached first; 0 is no limit, and one of them must be set. total_bytes is never passed: the
  // document that would is left out, and with it all that follow.
  std::uint64_t total_bytes = 0;
  std::uint64_t documents = 0;
  GeneratedFormat format = GeneratedFormat::kJsonl;
  // Words: 1 to 2^32 - 1 of them; exponent 0 to 16, 0 is even; shift 0 to 10^6. The defaults resemble English.
  std::uint64_t vocabulary = 1000000;
  double exponent = 1.07;
  double shift = 2.7;
  // Words of a document's text: the mean, and for lognormal the spread of the logarithm (0 to 4). At least 1, at most
  // kMaxGeneratedWords.
  double mean_words = 300;
  LengthDistribution distribution = LengthDistribution::kLognormal;
  double spread = 0.8;
  std::uint32_t title_words = 5;      // 0: no title; at most 1000; kJsonl only
  std::uint32_t words_per_line = 12;  // kJsonl: a newline stands behind so many words of the text; 0: none
  unsigned threads = 1;
};
inline constexpr std::uint64_t kMaxGeneratedWords = std::uint64_t{1} << 24;

struct GeneratedText {
  std::uint64_t documents = 0;
  std::uint64_t bytes = 0;
};

// Hands the bytes to `write`, in order and in pieces of about a megabyte, from one thread at a time; what it throws
// ends the work and is thrown here. Throws UsageError for options out of their range.
// Memory: about 2 MiB a thread, or a document's size if that is more.
GeneratedText generate_text(const GenerateTextOptions& options, const std::function<void(std::string_view)>& write);

}  // namespace spillway
