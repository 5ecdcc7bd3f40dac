#include "sort/lines/keys/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace spillway {
namespace {

// As GNU sort's manual tells it, a byte at a time.
std::size_t skip_fields(const std::string& line, std::size_t fields, std::optional<char> separator, bool ends_before) {
  std::size_t at = 0;
  for (; fields != 0 && at < line.size(); --fields) {
    if (separator) {
      while (at < line.size() && line[at] != *separator) ++at;
      if (at < line.size() && !(ends_before && fields == 1)) ++at;
    } else {
      while (at < line.size() && is_blank(line[at])) ++at;
      while (at < line.size() && !is_blank(line[at])) ++at;
    }
  }
  return at;
}

std::size_t skip_blanks(const std::string& line, std::size_t at) {
  while (at < line.size() && is_blank(line[at])) ++at;
  return at;
}

std::string expected_key(const std::string& line, const KeyPlace& place, std::optional<char> separator) {
  std::size_t begin =
      skip_fields(line, place.begin_field == KeyPlace::kWhole ? 0 : place.begin_field, separator, false);
  if (place.skips_blanks_at_begin) begin = skip_blanks(line, begin);
  begin = std::min(line.size(), begin + place.begin_byte);
  std::size_t end = line.size();
  if (place.end_field != KeyPlace::kWhole && place.end_byte == 0) {
    end = skip_fields(line, place.end_field + 1, separator, true);
  } else if (place.end_field != KeyPlace::kWhole) {
    end = skip_fields(line, place.end_field, separator, false);
    if (place.skips_blanks_at_end) end = skip_blanks(line, end);
    end = std::min(line.size(), end + place.end_byte);
  }
  return end > begin ? line.substr(begin, end - begin) : "";
}

TEST(FindKey, FindsWhatAScanByteByByteFinds) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  for (int i = 0; i < 40'000; ++i) {
    std::string line;
    for (std::size_t parts = below(8); parts != 0; --parts) {
      line.append(below(3) == 0 ? below(40) : below(4), "abc,"[below(4)]);
      line.append(below(6) == 0 ? below(40) : below(3), " \t,\n"[below(4)]);
    }
    if (below(2) == 0) line.resize(61 + below(6), " ,x"[below(3)]);  // as many bytes as one comparison takes, or so
    KeyPlace place;
    if (below(4) != 0) place.begin_field = below(4);
    if (below(3) == 0) place.begin_byte = below(4);
    if (below(4) != 0) place.end_field = below(4);
    if (below(3) == 0) place.end_byte = below(4);
    place.skips_blanks_at_begin = below(3) == 0;
    place.skips_blanks_at_end = below(3) == 0;
    const std::optional<char> separator = below(2) == 0 ? std::nullopt : std::optional<char>(" ,"[below(2)]);
    const std::string_view found = find_key(line, place, separator);
    ASSERT_EQ(found, expected_key(line, place, separator)) << i << " '" << line << "'";
    ASSERT_TRUE(found.data() >= line.data() && found.data() + found.size() <= line.data() + line.size());
  }
}

}  // namespace
}  // namespace spillway
