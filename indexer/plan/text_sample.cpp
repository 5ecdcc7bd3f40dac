#include "indexer/plan/text_sample.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace spillway {

namespace {

constexpr std::size_t kSampleBytes = std::size_t{1} << 19;

constexpr std::array<std::uint8_t, 256> lower_case_words() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned c = 0; c < 256; ++c) {
    const unsigned lower = c >= 'A' && c <= 'Z' ? c + 32 : c;
    const bool in_word = (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c >= 0x80;
    table[c] = in_word ? static_cast<std::uint8_t>(lower) : std::uint8_t{0};
  }
  return table;
}
constexpr auto kLowerCase = lower_case_words();  // 0: not part of a word

// Counts words by a hash of 32 bits. A collision counts as a repetition: about 1 in 30,000 words of a sample.
class WordCounter {
 public:
  WordCounter() : slots_(kSampleBytes) {}  // at most half of them are filled: a word and what ends it are 2 bytes

  void add(std::uint64_t word) {
    ++words;
    const auto hash = static_cast<std::uint32_t>((word * 0x9E3779B97F4A7C15ULL) >> 32) | 1;
    std::size_t at = hash % slots_.size();
    while (slots_[at] != 0 && slots_[at] != hash) at = (at + 1) % slots_.size();
    distinct += slots_[at] == 0 ? 1 : 0;
    slots_[at] = hash;
  }

  std::size_t words = 0, distinct = 0;

 private:
  std::vector<std::uint32_t> slots_;
};

}  // namespace

TextSample sample_text(std::string_view text) {
  text = text.substr(0, kSampleBytes);
  WordCounter counter;
  std::uint64_t word = 0;  // hash of the open word; 0: none
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if (kLowerCase[byte] != 0) {
      word = (word + kLowerCase[byte]) * 0x100000001B3ULL;
      continue;
    }
    if (word != 0) counter.add(word);
    word = 0;
    if (byte == '\\') ++i;  // JSON: the n of \n is no letter
  }
  const double bytes = std::max<double>(1, static_cast<double>(text.size()));
  return {static_cast<double>(counter.words) / bytes, static_cast<double>(counter.distinct) / bytes};
}

std::optional<TextSample> sample_corpus(FileSystem& files, const CorpusPlan& corpus) {
  const std::optional<CorpusFile>& largest = corpus.largest;
  if (!largest || largest->end == largest->begin) return std::nullopt;
  const std::uint64_t bytes = largest->end - largest->begin;
  std::vector<std::uint8_t> text(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kSampleBytes)));
  const std::uint64_t begin = largest->begin + (bytes - text.size()) / 2;
  text.resize(files.open(largest->path)->read_at(begin, text));
  return sample_text({reinterpret_cast<const char*>(text.data()), text.size()});
}

}  // namespace spillway
