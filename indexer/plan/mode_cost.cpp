#include "indexer/plan/mode_cost.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "indexer/plan/estimate.hpp"

namespace spillway {

namespace {

// Seconds; a GB is 10^9 bytes of text. Fitted to medians of whole processes of `index` on one H200 with 16 processors,
// input and output in memory (docs/results/auto_mode.md): Linux sources as JSONL, repeated to sizes from 0.1 to 6.5 GB,
// with 1 to 16 threads, with and without positions. The cost of rare words was set by hand for generated text of
// a million words; it lies between that of small inputs, whose words are all new, and that of 1 and 3 GB.
struct Costs {
  double start;             // of the program, and what the start and the end of the GPU add at least
  double most_ramp;         // until all threads have work, and of the merge's fixed part; a ramp of 1 second per GB
  double word;              // of one thread, parsing to merging
  double positioned_word;   // the same with --positions
  double rare_word;         // per GB, of one thread: kCommonWords describes it
  double shared_rare_word;  // added to it for each thread, as threads share the caches beyond L2 and the memory
  double byte;              // of what threads share: writers, memory
  double positioned_byte;
  double short_memory_byte;  // a byte, times (1 GiB / --memory - 1)
};
constexpr Costs kCpu{.start = 0.02,
                     .most_ramp = 0.11,
                     .word = 16.8e-9,
                     .positioned_word = 35.4e-9,
                     .rare_word = 14'000,
                     .shared_rare_word = 1'900,
                     .byte = 0.045e-9,
                     .positioned_byte = 0.071e-9,
                     .short_memory_byte = 0};
constexpr Costs kGpu{.start = 0.305,
                     .most_ramp = 0.085,
                     .word = 4.4e-9,
                     .positioned_word = 11.2e-9,
                     .rare_word = 4'500,
                     .shared_rare_word = 0,
                     .byte = 0.066e-9,
                     .positioned_byte = 0.105e-9,
                     .short_memory_byte = 0.04e-9};

// A thread's word table stays in its L2 cache up to this many distinct words per byte of sample; above it, costs grow
// with the square of the excess.
constexpr double kCommonWords = 0.025;

constexpr TextSample kUsualText{0.135, 0.0106};  // the sources above
// Bounds of usual samples: text of few, long words, and text of a million words in Zipf's distribution.
constexpr TextSample kLightText{0.05, 0}, kHeavyText{0.2, 0.065};

constexpr double kGibibyte = 1073741824.0;
constexpr double kUnknownBytes = 16 * kGibibyte;  // of a stream
// Bytes of text per second that one thread reads from a pipe, and unpacks from gzip and zstd (zstd: estimated).
constexpr double kPipeRate = 1.4e9, kGzipRate = 0.24e9, kZstdRate = 1.2e9;

// The part of a GPU's start that parsing hides: a thread parses 2.2 GB of text a second to tokens, and blocks of 2.3 GB
// may wait.
constexpr double kMostHidden = 0.3, kHiddenBytes = 2.3e9, kTokenRate = 2.2e9;

double hidden_start(const ModeCostInput& input) {
  if (input.text_bytes == 0 || static_cast<double>(input.memory_bytes) < kGibibyte) return 0;
  const double bytes = std::min(static_cast<double>(input.text_bytes), kHiddenBytes);
  return std::min(kMostHidden, bytes / kTokenRate / std::max(1U, input.threads));
}

double seconds(const ModeCostInput& input, const TextSample& text, const Costs& costs) {
  const bool is_stream = input.text_bytes == 0;
  const double bytes = is_stream ? kUnknownBytes : static_cast<double>(input.text_bytes);
  const double rare = std::max(0.0, text.distinct_words - kCommonWords);
  const double threads = std::max(1U, input.threads);
  const double rare_word = costs.rare_word + threads * costs.shared_rare_word;
  const double thread_second_per_byte =
      text.words * (input.positions ? costs.positioned_word : costs.word) + rare_word * rare * rare * 1e-9;
  const double parse = bytes * thread_second_per_byte / threads;
  const double read = is_stream ? bytes / kPipeRate : input.reader_seconds;
  const double short_memory = std::max(0.0, kGibibyte / std::max(1.0, static_cast<double>(input.memory_bytes)) - 1);
  const double shared = (input.positions ? costs.positioned_byte : costs.byte) + short_memory * costs.short_memory_byte;
  return costs.start + std::min(costs.most_ramp, bytes * 1e-9) + std::max(parse, read) + bytes * shared;
}

ModeCosts costs_of(const ModeCostInput& input, const TextSample& text) {
  return {seconds(input, text, kCpu), seconds(input, text, kGpu) - hidden_start(input)};
}

}  // namespace

ModeCosts mode_costs(const ModeCostInput& input) { return costs_of(input, input.sample.value_or(kUsualText)); }

ModeCosts mode_costs(FileSystem& files, const CorpusPlan& corpus, ModeCostInput input) {
  input.text_bytes = corpus.streams != 0 ? 0 : std::max<std::uint64_t>(1, expected_text_bytes(corpus));
  input.reader_seconds += static_cast<double>(corpus.gzip_bytes * kUnpackFactor) / kGzipRate +
                          static_cast<double>(corpus.zstd_bytes * kUnpackFactor) / kZstdRate;
  if (costs_of(input, kLightText).prefers_gpu() != costs_of(input, kHeavyText).prefers_gpu()) {
    input.sample = sample_corpus(files, corpus);
  }
  return mode_costs(input);
}

std::string ModeCosts::describe() const {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "about %.2f s with cpu+, %.2f s with gpu+", cpu_seconds, gpu_seconds);
  return text.data();
}

}  // namespace spillway
