// The slow path of the `unicode` tokenizer (design section 7): a run of word bytes that is not pure ASCII becomes
// tokens by NFKC_Casefold, maximal runs of [L N M], and ICU's word break on stretches of scripts written without
// spaces.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace spillway {

// Not thread-safe; one per parsing thread. Opening it loads ICU's data (throws IoError if that is missing).
class UnicodeWords {
 public:
  // cache_bytes: of stretches whose words are remembered, allocated when the first comes.
  explicit UnicodeWords(std::size_t cache_bytes = std::size_t{64} << 10);
  ~UnicodeWords();
  UnicodeWords(UnicodeWords&&) noexcept;

  // `run` is UTF-8 (ill-formed bytes separate words), at most about 64 KiB. Tokens come in order, none empty; views
  // live for the call.
  void split(std::string_view run, const std::function<void(std::string_view token)>& take);

  static std::string icu_version();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
