#include "text/unicode/words.hpp"

#include <unicode/uversion.h>

#include <cstring>
#include <optional>
#include <vector>

#include "text/scan/word_kernels.hpp"
#include "text/unicode/cjk_words.hpp"
#include "text/unicode/folded_word.hpp"
#include "text/unicode/icu_word_break.hpp"
#include "text/unicode/word_cache.hpp"

namespace spillway {

struct UnicodeWords::State {
  // Opened by the first stretch that needs a dictionary.
  struct Dictionaries {
    explicit Dictionaries(std::size_t memory_bytes)
        : cache(memory_bytes / 4 * 3), cjk_words(CjkWords::open(memory_bytes / 4)) {}

    WordCache cache;
    std::optional<CjkWords> cjk_words;
    IcuWordBreak word_break;
  };

  explicit State(std::size_t bytes) : memory_bytes(bytes) {}

  bool recall(std::string_view word) {
    if (!dictionaries || !dictionaries->cache.find(word, edges)) return false;
    std::memcpy(remembered, word.data(), word.size());
    return true;
  }

  // Sets `edges` to the tokens of the folded word.
  void find_tokens() {
    edges.clear();
    uses_dictionary = false;
    const auto kinds = folded.kinds();
    std::size_t begin = 0;  // start of the stretch
    bool in_word = false, unspaced = false;
    unsigned common = 0;  // kind bits that all units of the stretch have
    const auto end_stretch = [&](std::size_t end) {
      if (!in_word) return;
      if (unspaced) {
        break_stretch(begin, end, (common & kKanaOrHan) != 0);
      } else {
        add_token(begin, end);
      }
    };
    for (std::size_t at = 0; at < kinds.size(); ++at) {
      const unsigned kind = kinds[at];
      if ((kind & kWordCharacter) == 0) {
        end_stretch(at);
        in_word = false;
        continue;
      }
      // A mark belongs to the character before it.
      const bool now_unspaced = in_word && (kind & kMark) != 0 ? unspaced : (kind & kUnspaced) != 0;
      if (!in_word || now_unspaced != unspaced) {
        end_stretch(at);
        begin = at;
        in_word = true;
        unspaced = now_unspaced;
        common = kind;
      }
      common &= kind;
    }
    end_stretch(kinds.size());
  }

  void add_token(std::size_t begin, std::size_t end) {
    edges.push_back(folded.place(begin));
    edges.push_back(folded.place(end));
  }

  void break_stretch(std::size_t begin, std::size_t end, bool kana_or_han) {
    uses_dictionary = true;
    if (!dictionaries) dictionaries.emplace(memory_bytes);
    const auto stretch = folded.units().subspan(begin, end - begin);
    const bool simple = kana_or_han && dictionaries->cjk_words;
    const auto ends = simple ? dictionaries->cjk_words->find(stretch) : dictionaries->word_break.find(stretch);
    std::size_t from = begin;
    for (const std::uint32_t word_end : ends) {
      add_token(from, begin + word_end);
      from = begin + word_end;
    }
  }

  const std::size_t memory_bytes;
  std::optional<Dictionaries> dictionaries;
  FoldedWord folded;
  std::vector<std::uint32_t> edges;
  bool uses_dictionary = false;  // whether the current word needed a dictionary
  char remembered[WordCache::kMaxBytes + kScanPadding] = {};
};

UnicodeWords::UnicodeWords(std::size_t memory_bytes) : state_(std::make_unique<State>(memory_bytes)) {}
UnicodeWords::~UnicodeWords() = default;
UnicodeWords::UnicodeWords(UnicodeWords&&) noexcept = default;

WordTokens UnicodeWords::find(std::string_view word) {
  State& state = *state_;
  const bool remember = word.size() >= WordCache::kMinBytes && word.size() <= WordCache::kMaxBytes;
  if (remember && state.recall(word)) return {state.remembered, state.edges};
  state.folded.fold(word);
  state.find_tokens();
  // The cache refers to the word's own bytes, so the tokens must stand in it unchanged.
  if (remember && state.uses_dictionary && state.folded.is_unchanged())
    state.dictionaries->cache.add(word, state.edges);
  return {state.folded.text(), state.edges};
}

void UnicodeWords::split(std::string_view word, const std::function<void(std::string_view)>& take) {
  const WordTokens tokens = find(word);
  for (std::size_t i = 0; i < tokens.count(); ++i) take(tokens[i]);
}

std::string UnicodeWords::icu_version() { return U_ICU_VERSION; }

}  // namespace spillway
