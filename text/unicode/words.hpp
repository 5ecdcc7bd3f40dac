// The slow path of the `unicode` tokenizer: splits a word that is not pure ASCII into tokens. It applies NFKC_Casefold,
// takes maximal stretches of [L N M], and splits stretches of scripts written without spaces with a dictionary, as
// ICU's word break does. Time O(word), apart from ICU's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace spillway {

// The tokens of a word: [text + edges[2i], text + edges[2i + 1]), in order, none empty. kScanPadding bytes after the
// last one are readable.
struct WordTokens {
  const char* text = nullptr;
  std::span<const std::uint32_t> edges;

  std::size_t count() const { return edges.size() / 2; }
  std::string_view operator[](std::size_t i) const { return {text + edges[2 * i], edges[2 * i + 1] - edges[2 * i]}; }
};

// Not thread-safe: one per parsing thread. The constructor loads ICU's data and throws IoError if it is missing.
class UnicodeWords {
 public:
  // `memory_bytes` limits the memory for tokens found by dictionaries; it is allocated at their first use.
  explicit UnicodeWords(std::size_t memory_bytes = std::size_t{64} << 10);
  ~UnicodeWords();
  UnicodeWords(UnicodeWords&&) noexcept;

  // Returns the tokens of a UTF-8 word of at most about 64 KiB; ill-formed bytes separate tokens. The result is valid
  // until the next call.
  WordTokens find(std::string_view word);
  // The same, token by token.
  void split(std::string_view word, const std::function<void(std::string_view token)>& take);

  static std::string icu_version();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
