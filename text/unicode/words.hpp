// The slow path of the `unicode` tokenizer (design section 7): a run of word bytes that is not pure ASCII becomes
// tokens by NFKC_Casefold, maximal runs of [L N M], and dictionaries on stretches of scripts written without spaces, as
// ICU's word break finds words with them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace spillway {

// The tokens of a run: [text + edges[2i], text + edges[2i + 1]), in order, none empty. kScanPadding bytes behind the
// last may be read.
struct WordTokens {
  const char* text = nullptr;
  std::span<const std::uint32_t> edges;

  std::size_t count() const { return edges.size() / 2; }
  std::string_view operator[](std::size_t i) const { return {text + edges[2 * i], edges[2 * i + 1] - edges[2 * i]}; }
};

// Not thread-safe; one per parsing thread. Opening it loads ICU's data (throws IoError if that is missing).
class UnicodeWords {
 public:
  // memory_bytes: of what is remembered of words that were found, allocated when the first of a dictionary come.
  explicit UnicodeWords(std::size_t memory_bytes = std::size_t{64} << 10);
  ~UnicodeWords();
  UnicodeWords(UnicodeWords&&) noexcept;

  // `run` is UTF-8 (ill-formed bytes separate words), at most about 64 KiB. Valid until the next call.
  WordTokens find(std::string_view run);
  // The same, token by token.
  void split(std::string_view run, const std::function<void(std::string_view token)>& take);

  static std::string icu_version();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
