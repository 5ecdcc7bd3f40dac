#include "sort/lines/keys/order.hpp"

#include <algorithm>
#include <cstring>

namespace spillway {

namespace {

const char* skip_blanks(const char* at, const char* end) {
  while (at < end && is_blank(*at)) ++at;
  return at;
}

const char* find_separator(const char* at, const char* end, char separator) {
  if (at == end) return end;
  const void* const found = std::memchr(at, separator, static_cast<std::size_t>(end - at));
  return found == nullptr ? end : static_cast<const char*>(found);
}

const char* skip_field(const char* at, const char* end) {
  at = skip_blanks(at, end);
  while (at < end && !is_blank(*at)) ++at;
  return at;
}

const char* advance(const char* at, const char* end, std::size_t bytes) {
  return at + std::min(bytes, static_cast<std::size_t>(end - at));
}

const char* key_begin(std::string_view line, const KeyPlace& place, std::optional<char> separator) {
  const char* at = line.data();
  const char* const end = at + line.size();
  if (place.begin_field != KeyPlace::kWhole) {
    for (std::size_t left = place.begin_field; left != 0 && at < end; --left) {
      at = separator ? find_separator(at, end, *separator) : skip_field(at, end);
      if (separator && at < end) ++at;
    }
  }
  if (place.skips_blanks_at_begin) at = skip_blanks(at, end);
  return advance(at, end, place.begin_byte);
}

// Without `end_byte`, the end of the end field, before its separator; with it, a place counted from the field's begin.
const char* key_end(std::string_view line, const KeyPlace& place, std::optional<char> separator) {
  const char* at = line.data();
  const char* const end = at + line.size();
  if (place.end_field == KeyPlace::kWhole) return end;
  std::size_t left = place.end_field + (place.end_byte == 0 ? 1 : 0);
  while (at < end && left-- != 0) {
    at = separator ? find_separator(at, end, *separator) : skip_field(at, end);
    if (separator && at < end && (left != 0 || place.end_byte != 0)) ++at;
  }
  if (place.end_byte == 0) return at;
  if (place.skips_blanks_at_end) at = skip_blanks(at, end);
  return advance(at, end, place.end_byte);
}

}  // namespace

std::string_view find_key(std::string_view line, const KeyPlace& place, std::optional<char> field_separator) {
  const char* const begin = key_begin(line, place, field_separator);
  const char* const end = std::max(begin, key_end(line, place, field_separator));
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace spillway
