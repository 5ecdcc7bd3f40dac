#include "text/unicode/character_table.hpp"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/utf16.h>

#include <string>

#include "io/base/error.hpp"
#include "text/unicode/cjk_dictionary.hpp"

namespace spillway {

namespace {

bool is_unspaced(UChar32 c) {
  if (c < 0x0E00) return false;
  static constexpr UScriptCode kScripts[] = {USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_THAI,
                                             USCRIPT_LAO, USCRIPT_KHMER,    USCRIPT_MYANMAR};
  for (const UScriptCode script : kScripts) {
    if (uscript_hasScript(c, script)) return true;
  }
  return false;
}

CharacterEntry make_entry(const UNormalizer2* normalizer, UChar32 c) {
  CharacterEntry entry;
  if (U_IS_SURROGATE(c) || !unorm2_hasBoundaryBefore(normalizer, c)) return entry;
  const UChar text[1] = {static_cast<UChar>(c)};
  UChar folded[4] = {};
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t count = unorm2_normalize(normalizer, text, 1, folded, 4, &status);
  if (U_FAILURE(status) || count != 1) return entry;  // folds to several characters or to nothing
  entry.simple = true;
  entry.folded = folded[0];
  entry.kind = character_kind(folded[0]);
  return entry;
}

}  // namespace

std::uint8_t character_kind(std::int32_t character) {
  const std::uint32_t category = U_GET_GC_MASK(character);
  unsigned kind = 0;
  if ((category & (U_GC_L_MASK | U_GC_N_MASK | U_GC_M_MASK)) != 0) kind |= kWordCharacter;
  if ((category & U_GC_M_MASK) != 0) kind |= kMark;
  if (is_unspaced(character)) kind |= kUnspaced;
  if (is_kana_or_han(static_cast<char32_t>(character))) kind |= kKanaOrHan;
  return static_cast<std::uint8_t>(kind);
}

const CharacterTable& CharacterTable::instance() {
  static const CharacterTable kTable;
  return kTable;
}

CharacterTable::~CharacterTable() {
  for (const auto& page : pages_) delete page.load();
}

const CharacterTable::Page* CharacterTable::make_page(std::uint32_t number) const {
  UErrorCode status = U_ZERO_ERROR;
  const UNormalizer2* const normalizer = unorm2_getNFKCCasefoldInstance(&status);
  if (U_FAILURE(status)) throw IoError(std::string("ICU: loading NFKC_Casefold failed: ") + u_errorName(status));
  auto page = std::make_unique<Page>();
  for (std::uint32_t i = 0; i < kPageSize; ++i) {
    page->entries[i] = make_entry(normalizer, static_cast<UChar32>(number * kPageSize + i));
  }
  const Page* expected = nullptr;
  if (pages_[number].compare_exchange_strong(expected, page.get(), std::memory_order_acq_rel)) return page.release();
  return expected;  // another thread was faster
}

}  // namespace spillway
