#include "sort/lines/keys/collation.hpp"

#include <unicode/ucol.h>
#include <unicode/uloc.h>
#include <unicode/ustring.h>
#include <unicode/uversion.h>

#include <cstdint>
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

}  // namespace

void Collation::Close::operator()(UCollator* collator) const { ucol_close(collator); }

Collation::Collation(const std::string& locale) {
  const std::string name = locale == "root" ? "" : canonical(locale);
  UErrorCode status = U_ZERO_ERROR;
  if (locale != "root" && *uloc_getISO3Language(name.c_str()) == '\0') {
    throw UsageError("ICU knows no language of the locale '" + printable(locale) +
                     "'; name a locale like en_US, or root for the order without a language");
  }
  collator_.reset(ucol_open(name.c_str(), &status));
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
