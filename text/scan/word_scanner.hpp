// Cuts text into words: maximal stretches of word bytes. The text arrives in fragments that may end anywhere; a word
// that continues in the next fragment is joined. Words longer than kMaxWordBytes are cut (text/scan/word_split.hpp), so
// the state does not grow with the input. A single token of that length comes out shortened to about kMaxWordBytes,
// which exceeds the longest term; other text is cut where that changes no token, as far as can be seen. Time O(bytes).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "text/scan/word_kernels.hpp"
#include "text/scan/word_split.hpp"

namespace spillway {

// Whole words of up to kScanBytes of text: word i is [edges[2i], edges[2i + 1]) of `text`, and of `lowered`, which is
// the text with A-Z lowered and has kScanPadding readable bytes after its end.
struct ScannedWords {
  const std::uint8_t* text = nullptr;
  const std::uint8_t* lowered = nullptr;
  std::span<const std::uint16_t> edges;
};

class WordScanner {
 public:
  // Above the longest term, 65535 bytes. A word may have up to 4 bytes more, which complete a character.
  static constexpr std::size_t kMaxWordBytes = std::size_t{1} << 16;

  explicit WordScanner(WordBytes words) : find_edges_(word_kernels(words).find_edges) {}
  explicit WordScanner(FindEdgesFunction find_edges) : find_edges_(find_edges) {}

  // Scans the fragment in ranges of kScanBytes. For each range, calls take_word(word) for a word that was joined over
  // ranges or fragments, then take_words(ScannedWords) for the whole words of the range, then after_range().
  template <typename TakeWords, typename TakeWord, typename AfterRange>
  void scan_ranges(std::string_view fragment, TakeWords&& take_words, TakeWord&& take_word, AfterRange&& after_range) {
    const auto* text = reinterpret_cast<const std::uint8_t*>(fragment.data());
    std::size_t at = 0;
    while (at < fragment.size()) {
      const std::size_t bytes = std::min(kScanBytes, fragment.size() - at);
      scan_range(text + at, bytes, take_words, take_word);
      at += bytes;
      after_range();
    }
  }

  // The same, one word at a time.
  template <typename TakeWord>
  void scan(std::string_view fragment, TakeWord&& take_word) {
    scan_ranges(
        fragment,
        [&](const ScannedWords& words) {
          for (std::size_t i = 0; i < words.edges.size(); i += 2) {
            take_word(std::string_view(reinterpret_cast<const char*>(words.text) + words.edges[i],
                                       std::size_t{words.edges[i + 1]} - words.edges[i]));
          }
        },
        take_word, [] {});
  }

  // Whether a word reaches the end of the scanned text and may continue.
  bool has_open_word() const { return !open_.empty(); }

  // Ends the text (or field), and with it the open word.
  template <typename TakeWord>
  void finish(TakeWord&& take_word) {
    if (open_.empty()) return;
    take_open(take_word);
  }

 private:
  template <typename TakeWords, typename TakeWord>
  void scan_range(const std::uint8_t* text, std::size_t bytes, TakeWords& take_words, TakeWord& take_word) {
    const bool was_open = !open_.empty();
    const std::size_t count = find_edges_(text, bytes, was_open ? 1 : 0, lowered_, edges_);
    std::size_t first = 0;
    if (was_open) {
      const std::size_t end = count != 0 ? edges_[0] : bytes;
      if (end != 0) append_open(text, end, take_word);
      if (count == 0) return;
      take_open(take_word);
      first = 1;
    }
    const std::size_t whole = (count - first) / 2 * 2;
    if (whole != 0) take_words(ScannedWords{text, lowered_, std::span<const std::uint16_t>(edges_ + first, whole)});
    // The last word may continue in the next range.
    if ((count - first) % 2 != 0) append_open(text + edges_[count - 1], bytes - edges_[count - 1], take_word);
  }

  template <typename TakeWord>
  void append_open(const std::uint8_t* bytes, std::size_t count, TakeWord& take_word) {
    open_.append(reinterpret_cast<const char*>(bytes), count);
    while (open_.size() > kMaxWordBytes) {
      one_token_ = one_token_prefix(open_, one_token_);
      if (one_token_ >= kMaxWordBytes) {
        // This token is too long for a term, however it continues, so the rest of it is dropped as it arrives.
        const std::size_t kept = kMaxWordBytes + ((open_[kMaxWordBytes] & 0xC0) == 0x80 ? 1 : 0);
        open_.erase(kept, one_token_ - kept);
        one_token_ = kept;
        // Returns if nothing follows the token yet, or only the start of a character.
        if (open_.size() - kept < first_character_bytes(kept)) return;
      }
      const std::size_t split = one_token_ >= kMaxWordBytes ? one_token_ : find_word_split(open_, kMaxWordBytes);
      const std::string rest = open_.substr(split);
      open_.resize(split);
      take_open(take_word);
      open_ = rest;
    }
  }

  // Length of the character at `at` of the open word, whose last bytes may be missing; 1 at the word's end.
  std::size_t first_character_bytes(std::size_t at) const {
    if (at == open_.size()) return 1;
    const auto lead = static_cast<std::uint8_t>(open_[at]);
    return lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  }

  template <typename TakeWord>
  void take_open(TakeWord& take_word) {
    take_word(std::string_view(open_));
    open_.clear();
    one_token_ = 0;
  }

  FindEdgesFunction find_edges_;
  std::string open_;
  std::size_t one_token_ = 0;  // leading bytes of open_ known to belong to one token
  std::uint8_t lowered_[kScanBytes + kScanPadding] = {};
  std::uint16_t edges_[kScanBytes + kScanPadding];
};

}  // namespace spillway
