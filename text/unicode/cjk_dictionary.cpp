#include "text/unicode/cjk_dictionary.hpp"

#include <cstring>

namespace spillway {

namespace {

// The header of ICU's dictionary files: indexes into their array of offsets and types
// (icu4c/source/common/dictionarydata.h, "Format of dictionary .dict data files").
constexpr std::size_t kTrieOffset = 0, kTotalBytes = 3, kTrieType = 4;
constexpr std::int32_t kTrieTypeMask = 7, kUnitTrie = 1;

// A UCharsTrie state has the place in the trie in its lower bits, and the rest of a linear match in its upper five
// bits.
constexpr unsigned kLeftShift = 59, kPlaceBits = 27;
constexpr std::uint64_t kPlaceMask = (std::uint64_t{1} << kLeftShift) - 1;

std::uint32_t pack_state(std::uint64_t state) {
  return static_cast<std::uint32_t>(state >> kLeftShift << kPlaceBits | (state & kPlaceMask));
}
std::uint64_t unpack_state(std::uint32_t state) {
  return std::uint64_t{state >> kPlaceBits} << kLeftShift | (state & ((1U << kPlaceBits) - 1));
}

UBool accepts(void*, const char*, const char*, const UDataInfo* info) {
  return static_cast<UBool>(info->size >= 20 && info->charsetFamily == U_CHARSET_FAMILY &&
                            info->isBigEndian == U_IS_BIG_ENDIAN && std::memcmp(info->dataFormat, "Dict", 4) == 0 &&
                            info->formatVersion[0] == 1);
}

const std::int32_t* head_of(UDataMemory* data) { return static_cast<const std::int32_t*>(udata_getMemory(data)); }

}  // namespace

const CjkDictionary* CjkDictionary::instance() {
  static const struct Holder {
    Holder() {
      if (UDataMemory* const data = open_data()) dictionary.reset(new CjkDictionary(data));
    }
    struct Delete {
      void operator()(const CjkDictionary* of) const { delete of; }
    };
    std::unique_ptr<const CjkDictionary, Delete> dictionary;
  } kHolder;
  return kHolder.dictionary.get();
}

UDataMemory* CjkDictionary::open_data() {
  UErrorCode status = U_ZERO_ERROR;
  UDataMemory* const data = udata_openChoice(U_ICUDATA_NAME "-brkitr", "dict", "cjdict", accepts, nullptr, &status);
  if (U_FAILURE(status)) return nullptr;
  const std::int32_t* const head = head_of(data);
  const bool fits = static_cast<std::uint32_t>(head[kTotalBytes]) / sizeof(char16_t) < (1U << kPlaceBits);
  if (fits && (head[kTrieType] & kTrieTypeMask) == kUnitTrie) return data;
  udata_close(data);
  return nullptr;
}

CjkDictionary::CjkDictionary(UDataMemory* data)
    : data_(data),
      trie_(reinterpret_cast<const char16_t*>(reinterpret_cast<const char*>(head_of(data)) +
                                              head_of(data)[kTrieOffset])) {}

CjkDictionary::~CjkDictionary() {
  for (const auto& page : pages_) delete page.load();
  udata_close(data_);
}

DictionaryStep CjkDictionary::step_of(icu::UCharsTrie& trie, UStringTrieResult result) const {
  DictionaryStep step;
  step.cost = USTRINGTRIE_HAS_VALUE(result) ? static_cast<std::uint16_t>(trie.getValue()) : DictionaryStep::kNoWord;
  if (USTRINGTRIE_HAS_NEXT(result)) step.state = pack_state(trie.getState64());
  return step;
}

DictionaryStep CjkDictionary::next(std::uint32_t state, char16_t character) const {
  icu::UCharsTrie trie(trie_);
  trie.resetToState64(unpack_state(state));
  return step_of(trie, trie.next(character));
}

const CjkDictionary::Page* CjkDictionary::make_page(std::size_t number) const {
  auto page = std::make_unique<Page>();
  icu::UCharsTrie trie(trie_);
  for (std::size_t i = 0; i < kPageSize; ++i) {
    (*page)[i] = step_of(trie, trie.first(static_cast<UChar32>(kFirstCharacter + number * kPageSize + i)));
  }
  const Page* expected = nullptr;
  if (pages_[number].compare_exchange_strong(expected, page.get(), std::memory_order_acq_rel)) return page.release();
  return expected;  // another thread was faster
}

}  // namespace spillway
