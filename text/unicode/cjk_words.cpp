#include "text/unicode/cjk_words.hpp"

#include <unicode/uversion.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>

#include "text/unicode/icu_word_break.hpp"

namespace spillway {

namespace {

// ICU's constants.
constexpr std::size_t kMaxWordUnits = 20;
constexpr std::uint64_t kUnknownCost = 255;  // cost of a character that is not a word
constexpr std::size_t kMaxKatakanaUnits = 20;
constexpr std::uint64_t kKatakanaCosts[] = {8192, 984, 408, 240, 204, 252, 300, 372, 480};  // by length
constexpr std::uint64_t kLongKatakanaCost = 8192;

constexpr std::uint64_t kNoWay = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kLeastBytes = 4096;
constexpr std::size_t kKeptUnits = 1024;  // the memory for longer stretches, which are rare, is released

constexpr bool is_katakana(char16_t c) { return c >= 0x30A1 && c <= 0x30FE && c != 0x30FB; }

// Plain sentences, words that overlap, unknown characters, and known and unknown Katakana of many lengths.
constexpr std::u16string_view kSamples[] = {
    u"東京都に住んでいます",
    u"中华人民共和国成立了",
    u"すもももももももものうち",
    u"研究生命的起源和发展中国家的经济学家说",
    u"古代戦争のリアルタイム戦略ゲームをアンインストールするためのパッケージです",
    u"二〇二六年十一月二十一日の人々のくらし",
    u"㐀㐁㐂龠龥鿿々〇ゔーゎ",
    u"アーヌアーヌヌアヌヌヌアヌヌヌヌアヌヌヌヌヌアヌヌヌヌヌヌアヌヌヌヌヌヌヌア",
    u"ヌ的ヌヌ的ヌヌヌ的ヌヌヌヌ的ヌヌヌヌヌ的ヌヌヌヌヌヌ的ヌヌヌヌヌヌヌ的ヌヌヌヌヌヌヌヌ的ヌヌヌヌヌヌヌヌヌ",
    u"のヌメヌメヌメヌメヌメヌメヌメヌメヌメヌの",
    u"のヌメヌメヌメヌメヌメヌメヌメヌメヌメヌメの",
    u"のヌメヌメヌメヌメヌメヌメヌメヌメヌメヌメヌの",
};

// Checks the linked library. Its major version may differ from that of the headers if ICU was built without suffixes.
bool is_proved_release() {
  constexpr unsigned kProvedRelease = 72;
  UVersionInfo version;
  u_getVersion(version);
  return version[0] == kProvedRelease;
}

bool finds_what_icu_finds(CjkWords words) {
  IcuWordBreak icu;
  return std::all_of(std::begin(kSamples), std::end(kSamples), [&](std::u16string_view sample) {
    return std::ranges::equal(words.find(sample), icu.find(sample));
  });
}

}  // namespace

std::optional<CjkWords> CjkWords::open(std::size_t memory_bytes) {
  static const CjkDictionary* const kDictionary = [] {
    const CjkDictionary* const dictionary = is_proved_release() ? CjkDictionary::instance() : nullptr;
    return dictionary != nullptr && finds_what_icu_finds(CjkWords(*dictionary, kLeastBytes)) ? dictionary : nullptr;
  }();
  if (kDictionary == nullptr) return std::nullopt;
  return CjkWords(*kDictionary, memory_bytes);
}

CjkWords::CjkWords(const CjkDictionary& dictionary, std::size_t memory_bytes)
    : dictionary_(&dictionary),
      remembered_(std::bit_floor(std::max(memory_bytes, kLeastBytes) / sizeof(Remembered))),
      shift_(64U - static_cast<unsigned>(std::countr_zero(remembered_.size()))) {}

std::span<const std::uint32_t> CjkWords::find(std::span<const char16_t> stretch) {
  const std::size_t units = stretch.size();
  if (ends_.size() > kKeptUnits && units <= kKeptUnits) ends_ = std::vector<std::uint32_t>();
  best_.assign(units + 1, kNoWay);
  best_[0] = 0;
  bool continues = false;
  for (std::size_t begin = 0; begin != units; ++begin) {
    take_dictionary_words(stretch, begin);
    const bool katakana = is_katakana(stretch[begin]);
    if (katakana && !continues) take_katakana(stretch, begin);
    continues = katakana;
  }
  if (ends_.size() < units) ends_.resize(units);
  std::size_t first = ends_.size();
  for (std::size_t end = units; end != 0; end = static_cast<std::uint32_t>(best_[end])) {
    ends_[--first] = static_cast<std::uint32_t>(end);
  }
  if (units > kKeptUnits) best_ = std::vector<std::uint64_t>();
  return std::span<const std::uint32_t>(ends_).subspan(first);
}

// Among paths of equal cost, keeps the one with the longest last word.
inline void CjkWords::take_word(std::size_t begin, std::size_t end, std::uint64_t cost) {
  const std::uint64_t so_far = best_[begin] >> 32;
  best_[end] = std::min(best_[end], (so_far + cost) << 32 | begin);
}

// Takes words of one and two characters without branches, which would be mispredicted: kNoWord is a cost above that of
// any two single characters, which are taken later.
inline void CjkWords::take_dictionary_words(std::span<const char16_t> stretch, std::size_t begin) {
  const std::size_t longest = std::min(stretch.size() - begin, kMaxWordUnits);
  DictionaryStep step = dictionary_->first(stretch[begin]);
  take_word(begin, begin + 1, step.cost != DictionaryStep::kNoWord ? step.cost : kUnknownCost);
  if (step.state == 0 || longest == 1) return;
  step = next(step.state, stretch[begin + 1]);
  take_word(begin, begin + 2, step.cost);
  for (std::size_t units = 2; step.state != 0 && units != longest; ++units) {
    step = next(step.state, stretch[begin + units]);
    take_word(begin, begin + units + 1, step.cost);
  }
}

// Any sequence of Katakana may be a word.
void CjkWords::take_katakana(std::span<const char16_t> stretch, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end != stretch.size() && end - begin != kMaxKatakanaUnits && is_katakana(stretch[end])) ++end;
  const std::size_t units = end - begin;
  if (units == kMaxKatakanaUnits) return;
  take_word(begin, end, units < std::size(kKatakanaCosts) ? kKatakanaCosts[units] : kLongKatakanaCost);
}

inline DictionaryStep CjkWords::next(std::uint32_t state, char16_t character) {
  const std::uint64_t key = std::uint64_t{state} << 16 | character;
  Remembered& remembered = remembered_[key * 0x9E3779B97F4A7C15ULL >> shift_];
  if (remembered.key != key) remembered = {key, dictionary_->next(state, character)};
  return remembered.step;
}

}  // namespace spillway
