#include "indexer/unicode_words.hpp"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>
#include <unicode/uversion.h>

#include <vector>

#include "io/error.hpp"

namespace spillway {

namespace {

void check_icu(UErrorCode status, const char* what) {
  if (U_FAILURE(status)) throw IoError(std::string("ICU: ") + what + " failed: " + u_errorName(status));
}

bool is_word_character(UChar32 c) {
  constexpr std::uint32_t kLettersNumbersMarks = U_GC_L_MASK | U_GC_N_MASK | U_GC_M_MASK;
  return (U_GET_GC_MASK(c) & kLettersNumbersMarks) != 0;
}

// Written without spaces between words, so that only a dictionary finds them.
bool is_unspaced(UChar32 c) {
  if (c < 0x0E00) return false;
  static constexpr UScriptCode kScripts[] = {USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_THAI,
                                             USCRIPT_LAO, USCRIPT_KHMER,    USCRIPT_MYANMAR};
  for (const UScriptCode script : kScripts) {
    if (uscript_hasScript(c, script)) return true;
  }
  return false;
}

}  // namespace

struct UnicodeWords::State {
  const UNormalizer2* normalizer = nullptr;  // ICU's singleton
  UBreakIterator* breaker = nullptr;         // opened by the first unspaced stretch
  std::vector<UChar> raw, folded;
  std::string token;

  ~State() {
    if (breaker != nullptr) ubrk_close(breaker);
  }

  void emit(const UChar* text, std::int32_t count, const std::function<void(std::string_view)>& take) {
    token.resize(static_cast<std::size_t>(count) * 3);
    std::int32_t bytes = 0;
    UErrorCode status = U_ZERO_ERROR;
    u_strToUTF8WithSub(token.data(), static_cast<std::int32_t>(token.size()), &bytes, text, count, 0xFFFD, nullptr,
                       &status);
    check_icu(status, "conversion to UTF-8");
    take(std::string_view(token.data(), static_cast<std::size_t>(bytes)));
  }

  void break_words(const UChar* text, std::int32_t count, const std::function<void(std::string_view)>& take) {
    UErrorCode status = U_ZERO_ERROR;
    if (breaker == nullptr) breaker = ubrk_open(UBRK_WORD, "", nullptr, 0, &status);
    check_icu(status, "opening the word break rules");
    ubrk_setText(breaker, text, count, &status);
    check_icu(status, "word break");
    std::int32_t begin = ubrk_first(breaker);
    for (std::int32_t end = ubrk_next(breaker); end != UBRK_DONE; end = ubrk_next(breaker)) {
      emit(text + begin, end - begin, take);
      begin = end;
    }
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
  }
  std::int32_t folded_count = 0;
};

UnicodeWords::UnicodeWords() : state_(std::make_unique<State>()) {
  UErrorCode status = U_ZERO_ERROR;
  state_->normalizer = unorm2_getNFKCCasefoldInstance(&status);
  check_icu(status, "loading NFKC_Casefold");
}
UnicodeWords::~UnicodeWords() = default;
UnicodeWords::UnicodeWords(UnicodeWords&&) noexcept = default;

void UnicodeWords::split(std::string_view run, const std::function<void(std::string_view)>& take) {
  State& state = *state_;
  state.fold(run);
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
  for (std::int32_t at = 0; at < count;) {
    const std::int32_t start = at;
    UChar32 c = 0;
    U16_NEXT(text, at, count, c);
    if (!is_word_character(c)) {
      end_stretch(start);
      in_word = false;
      continue;
    }
    // Marks belong to what they follow.
    const bool c_unspaced = (in_word && (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0) ? unspaced : is_unspaced(c);
    if (!in_word || c_unspaced != unspaced) {
      end_stretch(start);
      begin = start;
      in_word = true;
      unspaced = c_unspaced;
    }
  }
  end_stretch(count);
}

std::string UnicodeWords::icu_version() { return U_ICU_VERSION; }

}  // namespace spillway
