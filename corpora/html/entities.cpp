#include "corpora/html/entities.hpp"

#include <algorithm>
#include <array>

#include "corpora/html/entities_table.hpp"

namespace spillway {

namespace {

constexpr std::size_t kEntities = 2125;

constexpr std::uint32_t hex_digit(char digit) {
  return static_cast<std::uint32_t>(digit <= '9' ? digit - '0' : digit - 'A' + 10);
}

// Reads a code point at `at` and moves `at` after the separator that follows it, which it returns.
constexpr char read_code(std::size_t& at, std::uint32_t& code) {
  while (kHtmlEntityTable[at] != ',' && kHtmlEntityTable[at] != '.')
    code = code << 4 | hex_digit(kHtmlEntityTable[at++]);
  return kHtmlEntityTable[at++];
}

constexpr std::array<HtmlEntity, kEntities> read_table() {
  std::array<HtmlEntity, kEntities> entities{};
  std::size_t at = 0;
  for (HtmlEntity& entity : entities) {
    const std::size_t begin = at;
    while (kHtmlEntityTable[at] != ':' && kHtmlEntityTable[at] != '+') ++at;
    entity.name = kHtmlEntityTable.substr(begin, at - begin);
    entity.needs_semicolon = kHtmlEntityTable[at++] == ':';
    if (read_code(at, entity.first) == '.') read_code(at, entity.second);
  }
  return entities;
}

constexpr std::array<HtmlEntity, kEntities> kEntityTable = read_table();  // in byte order of the names

}  // namespace

HtmlEntitySearch::HtmlEntitySearch() : end_(kEntities) {}

bool HtmlEntitySearch::narrow(char byte) {
  const auto key = [this](const HtmlEntity& entity) {
    return length_ < entity.name.size() ? static_cast<std::uint8_t>(entity.name[length_]) : 0;
  };
  const auto wanted = static_cast<std::uint8_t>(byte);
  const auto first = kEntityTable.begin() + static_cast<std::ptrdiff_t>(begin_);
  const auto last = kEntityTable.begin() + static_cast<std::ptrdiff_t>(end_);
  const auto low = std::partition_point(first, last, [&](const HtmlEntity& entity) { return key(entity) < wanted; });
  const auto high = std::partition_point(low, last, [&](const HtmlEntity& entity) { return key(entity) == wanted; });
  if (low == high || wanted == 0) return false;
  begin_ = static_cast<std::size_t>(low - kEntityTable.begin());
  end_ = static_cast<std::size_t>(high - kEntityTable.begin());
  ++length_;
  return true;
}

const HtmlEntity* HtmlEntitySearch::match() const {
  const HtmlEntity& entity = kEntityTable[begin_];
  return length_ > 0 && entity.name.size() == length_ ? &entity : nullptr;
}

}  // namespace spillway
