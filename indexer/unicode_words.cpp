#include "indexer/unicode_words.hpp"

#include <unicode/ubrk.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>
#include <unicode/uversion.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "indexer/character_table.hpp"
#include "indexer/word_break_cache.hpp"
#include "io/error.hpp"

namespace spillway {

namespace {

void check_icu(UErrorCode status, const char* what) {
  if (U_FAILURE(status)) throw IoError(std::string("ICU: ") + what + " failed: " + u_errorName(status));
}

// The character at `at`, which moves behind it; -1 where it is ill-formed, or above the BMP.
std::int32_t next_bmp_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<std::uint8_t>(text[at + i])); };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const std::size_t left = text.size() - at;
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) {
    ++at;
    return static_cast<std::int32_t>(lead);
  }
  if (lead >= 0xC2 && lead < 0xE0 && left >= 2 && continues(1)) {
    const std::uint32_t c = (lead & 0x1F) << 6 | (byte(1) & 0x3F);
    at += 2;
    return static_cast<std::int32_t>(c);
  }
  if ((lead & 0xF0) == 0xE0 && left >= 3 && continues(1) && continues(2)) {
    const std::uint32_t c = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (c < 0x800 || (c >= 0xD800 && c < 0xE000)) return -1;
    at += 3;
    return static_cast<std::int32_t>(c);
  }
  return -1;
}

}  // namespace

struct UnicodeWords::State {
  const UNormalizer2* normalizer = nullptr;  // ICU's singleton
  const CharacterTable& characters = CharacterTable::instance();
  UBreakIterator* breaker = nullptr;    // opened by the first unspaced stretch
  std::optional<WordBreakCache> cache;  // so is this
  std::size_t cache_bytes = 0;
  std::vector<UChar> raw, folded;
  std::vector<std::uint8_t> kinds;  // of the characters of `folded`, by unit
  std::vector<std::uint8_t> ends;
  std::string token;

  ~State() {
    if (breaker != nullptr) ubrk_close(breaker);
  }

  void emit(const UChar* text, std::int32_t count, const std::function<void(std::string_view)>& take) {
    token.resize(static_cast<std::size_t>(count) * 3);
    std::size_t bytes = 0;
    for (std::int32_t at = 0; at < count;) {
      UChar32 c = 0;
      U16_NEXT(text, at, count, c);
      U8_APPEND_UNSAFE(token.data(), bytes, c);
    }
    take(std::string_view(token.data(), bytes));
  }

  void break_words(const UChar* text, std::int32_t count, const std::function<void(std::string_view)>& take) {
    if (!cache) cache.emplace(cache_bytes);
    const std::span<const char16_t> stretch(text, static_cast<std::size_t>(count));
    const bool is_short = stretch.size() <= WordBreakCache::kMaxUnits;
    if (is_short) {
      std::int32_t begin = 0;
      for (const std::int32_t end : cache->find(stretch)) {
        emit(text + begin, end - begin, take);
        begin = end;
      }
      if (begin != 0) return;
    }
    ends.clear();
    break_words_by_dictionary(text, count, take);
    if (is_short) cache->add(stretch, ends);
  }

  // Leaves the ends of the words in `ends`, where they fit.
  void break_words_by_dictionary(const UChar* text, std::int32_t count,
                                 const std::function<void(std::string_view)>& take) {
    UErrorCode status = U_ZERO_ERROR;
    if (breaker == nullptr) breaker = ubrk_open(UBRK_WORD, "", nullptr, 0, &status);
    check_icu(status, "opening the word break rules");
    ubrk_setText(breaker, text, count, &status);
    check_icu(status, "word break");
    std::int32_t begin = ubrk_first(breaker);
    for (std::int32_t end = ubrk_next(breaker); end != UBRK_DONE; end = ubrk_next(breaker)) {
      emit(text + begin, end - begin, take);
      ends.push_back(static_cast<std::uint8_t>(end));
      begin = end;
    }
  }

  // Character by character, where all of them are simple.
  bool fold_simple(std::string_view run) {
    folded.resize(std::max(folded.size(), run.size()));
    kinds.resize(folded.size());
    std::size_t count = 0;
    for (std::size_t at = 0; at < run.size(); ++count) {
      const std::int32_t c = next_bmp_character(run, at);
      if (c < 0) return false;
      const CharacterEntry entry = characters[static_cast<std::uint32_t>(c)];
      if (!entry.simple) return false;
      folded[count] = entry.folded;
      kinds[count] = entry.kind;
    }
    folded_count = static_cast<std::int32_t>(count);
    return true;
  }

  void fold(std::string_view run) {
    raw.resize(run.size() + 1);
    std::int32_t raw_count = 0;
    UErrorCode status = U_ZERO_ERROR;
    u_strFromUTF8WithSub(raw.data(), static_cast<std::int32_t>(raw.size()), &raw_count, run.data(),
                         static_cast<std::int32_t>(run.size()), 0xFFFD, nullptr, &status);
    check_icu(status, "conversion from UTF-8");
    if (folded.size() < run.size() + 64) folded.resize(run.size() + 64);
    status = U_ZERO_ERROR;
    std::int32_t count = unorm2_normalize(normalizer, raw.data(), raw_count, folded.data(),
                                          static_cast<std::int32_t>(folded.size()), &status);
    if (status == U_BUFFER_OVERFLOW_ERROR) {
      folded.resize(static_cast<std::size_t>(count) + 1);
      status = U_ZERO_ERROR;
      count = unorm2_normalize(normalizer, raw.data(), raw_count, folded.data(),
                               static_cast<std::int32_t>(folded.size()), &status);
    }
    check_icu(status, "NFKC_Casefold");
    folded_count = count;
    kinds.resize(std::max(kinds.size(), static_cast<std::size_t>(count)));
    for (std::int32_t at = 0; at < count;) {
      const auto start = static_cast<std::size_t>(at);
      UChar32 c = 0;
      U16_NEXT(folded.data(), at, count, c);
      std::fill(kinds.begin() + static_cast<std::ptrdiff_t>(start), kinds.begin() + at, character_kind(c));
    }
  }
  std::int32_t folded_count = 0;
};

UnicodeWords::UnicodeWords(std::size_t cache_bytes) : state_(std::make_unique<State>()) {
  state_->cache_bytes = cache_bytes;
  UErrorCode status = U_ZERO_ERROR;
  state_->normalizer = unorm2_getNFKCCasefoldInstance(&status);
  check_icu(status, "loading NFKC_Casefold");
}
UnicodeWords::~UnicodeWords() = default;
UnicodeWords::UnicodeWords(UnicodeWords&&) noexcept = default;

void UnicodeWords::split(std::string_view run, const std::function<void(std::string_view)>& take) {
  State& state = *state_;
  if (!state.fold_simple(run)) state.fold(run);
  const UChar* text = state.folded.data();
  const std::int32_t count = state.folded_count;
  std::int32_t begin = 0;  // of the stretch
  bool in_word = false, unspaced = false;
  const auto end_stretch = [&](std::int32_t end) {
    if (!in_word || end == begin) return;
    if (unspaced) {
      state.break_words(text + begin, end - begin, take);
    } else {
      state.emit(text + begin, end - begin, take);
    }
  };
  for (std::int32_t at = 0; at < count; ++at) {
    const std::uint8_t kind = state.kinds[static_cast<std::size_t>(at)];
    if ((kind & kWordCharacter) == 0) {
      end_stretch(at);
      in_word = false;
      continue;
    }
    // Marks belong to what they follow.
    const bool c_unspaced = in_word && (kind & kMark) != 0 ? unspaced : (kind & kUnspaced) != 0;
    if (!in_word || c_unspaced != unspaced) {
      end_stretch(at);
      begin = at;
      in_word = true;
      unspaced = c_unspaced;
    }
  }
  end_stretch(count);
}

std::string UnicodeWords::icu_version() { return U_ICU_VERSION; }

}  // namespace spillway
