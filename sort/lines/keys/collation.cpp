#include "sort/lines/keys/collation.hpp"

#include <unicode/ucol.h>
#include <unicode/uenum.h>
#include <unicode/uloc.h>
#include <unicode/ustring.h>
#include <unicode/uversion.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kKeptUnits = std::size_t{128} << 10;  // that a thread keeps for the next text

std::string canonical(const std::string& locale) {
  std::string name(ULOC_FULLNAME_CAPACITY, '\0');
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t bytes =
      uloc_canonicalize(locale.c_str(), name.data(), static_cast<std::int32_t>(name.size()), &status);
  if (U_FAILURE(status) != 0 || static_cast<std::size_t>(bytes) > name.size()) return "";
  name.resize(static_cast<std::size_t>(bytes));
  return name;
}

// The text in UTF-16.
const UChar* wide(std::string_view text, std::vector<UChar>& buffer, std::int32_t& units) {
  // No text has more units than bytes.
  if (buffer.size() < text.size()) buffer.resize(text.size() < kKeptUnits / 2 ? 2 * text.size() : text.size());
  UErrorCode status = U_ZERO_ERROR;
  u_strFromUTF8WithSub(buffer.data(), static_cast<std::int32_t>(buffer.size()), &units, text.data(),
                       static_cast<std::int32_t>(text.size()), 0xFFFD, nullptr, &status);
  if (U_FAILURE(status) != 0) throw FormatError(std::string("ICU cannot read a text: ") + u_errorName(status));
  return buffer.data();
}

// Those that change an order, as ICU writes them in canonical names. (ICU ignores any other one.)
constexpr std::string_view kKeywords[] = {
    "collation",        "colalternate", "colbackwards", "colcasefirst", "colcaselevel",
    "colnormalization", "colnumeric",   "colreorder",   "colstrength",  "kv"};

std::vector<std::string> texts_of(UEnumeration* found) {
  const std::unique_ptr<UEnumeration, void (*)(UEnumeration*)> texts(found, uenum_close);
  std::vector<std::string> result;
  UErrorCode status = U_ZERO_ERROR;
  while (const char* const text = texts == nullptr ? nullptr : uenum_next(texts.get(), nullptr, &status)) {
    result.emplace_back(text);
  }
  return result;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string keyword_value(const std::string& name, const char* keyword) {
  std::string value(ULOC_KEYWORD_AND_VALUES_CAPACITY, '\0');
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t bytes =
      uloc_getKeywordValue(name.c_str(), keyword, value.data(), static_cast<std::int32_t>(value.size()), &status);
  value.resize(U_FAILURE(status) != 0 ? 0 : static_cast<std::size_t>(bytes));
  return value;
}

// ICU opens the usual collation of a locale where it knows no keyword of that name, or no collation. `name` is
// canonical.
void check_keywords(const std::string& locale, const std::string& name) {
  UErrorCode status = U_ZERO_ERROR;
  for (const std::string& keyword : texts_of(uloc_openKeywords(name.c_str(), &status))) {
    if (std::ranges::find(kKeywords, keyword) != std::end(kKeywords)) continue;
    const std::vector<std::string> known(std::begin(kKeywords), std::end(kKeywords));
    throw UsageError("ICU's collation knows no '" + printable(keyword) + "' of the locale '" + printable(locale) +
                     "'; it knows " + joined(known));
  }
  const std::string wanted = keyword_value(name, "collation");
  if (wanted.empty()) return;
  const char* const legacy = uloc_toLegacyType("collation", wanted.c_str());
  status = U_ZERO_ERROR;
  const std::vector<std::string> known =
      texts_of(ucol_getKeywordValuesForLocale("collation", name.c_str(), 0, &status));
  const auto is_wanted = [&](const std::string& value) {
    return value == wanted || (legacy != nullptr && value == legacy);
  };
  if (std::ranges::any_of(known, is_wanted)) return;
  throw UsageError("ICU has no collation '" + printable(wanted) + "' for the locale '" + printable(locale) +
                   "'; it has " + joined(known));
}

}  // namespace

bool has_other_encoding(std::string_view locale) {
  const std::string_view name = locale.substr(0, locale.find('@'));
  if (name.find('.') == std::string_view::npos) return false;
  std::string encoding;
  for (const char byte : name.substr(name.find('.') + 1)) {
    if (byte != '-') encoding += static_cast<char>(std::tolower(static_cast<unsigned char>(byte)));
  }
  return encoding != "utf8";
}

void Collation::Close::operator()(UCollator* collator) const { ucol_close(collator); }

Collation::Collation(const std::string& locale) {
  const std::string name = locale == "root" ? "" : canonical(locale);
  UErrorCode status = U_ZERO_ERROR;
  if (has_other_encoding(locale)) {
    throw UsageError("texts are compared as UTF-8, and the locale '" + printable(locale) +
                     "' has another encoding; name the locale without it, and convert the input with iconv if need be");
  }
  if (locale != "root" && *uloc_getISO3Language(name.c_str()) == '\0') {
    throw UsageError("ICU knows no language of the locale '" + printable(locale) +
                     "'; name a locale like en_US, or root for the order without a language");
  }
  check_keywords(locale, name);
  collator_.reset(ucol_open(name.c_str(), &status));
  if (status == U_ILLEGAL_ARGUMENT_ERROR) {
    throw UsageError("ICU does not know a value after the @ of the locale '" + printable(locale) +
                     "'; values are those like shifted, quaternary, upper or yes");
  }
  if (U_FAILURE(status) != 0) {
    throw UsageError("ICU has no collation of the locale '" + printable(locale) + "': " + u_errorName(status));
  }
}

std::string Collation::version() const {
  UVersionInfo icu{}, rules{};
  u_getVersion(icu);
  ucol_getVersion(collator_.get(), rules);
  std::string text = "ICU";
  for (const std::uint8_t number : icu) text += (text == "ICU" ? " " : ".") + std::to_string(number);
  text += ", rules ";
  for (const std::uint8_t number : rules) text += (text.ends_with(' ') ? "" : ".") + std::to_string(number);
  return text;
}

void Collation::append(std::string_view text, std::string& key) const {
  thread_local std::vector<UChar> buffer;
  std::int32_t units = 0;
  const UChar* const unit = wide(text, buffer, units);
  const std::size_t begin = key.size();
  const auto get = [&](std::size_t capacity) {
    key.resize(begin + capacity);
    return static_cast<std::size_t>(ucol_getSortKey(collator_.get(), unit, units,
                                                    reinterpret_cast<std::uint8_t*>(key.data()) + begin,
                                                    static_cast<std::int32_t>(capacity)));
  };
  const std::size_t usual = 2 * text.size() + 32;
  const std::size_t bytes = get(usual);
  if (bytes > usual) get(bytes);
  key.resize(begin + bytes);
  if (buffer.size() > kKeptUnits) std::vector<UChar>().swap(buffer);
}

}  // namespace spillway
