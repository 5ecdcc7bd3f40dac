// Terms that differ late in a merge: equal in their first 8 or 16 bytes, one a prefix of the other, and with the bytes
// 0 and 0xFF, where a comparison of integers could go wrong.
#pragma once

#include <random>
#include <set>
#include <string>

namespace spillway::testing {

inline std::set<std::string> near_terms(std::uint64_t seed, std::size_t random_count) {
  std::set<std::string> terms;
  const std::string fills[] = {std::string(1, '\0'), "a", "\xFF"};
  for (const std::string& fill : fills) {
    std::string start;
    for (std::size_t bytes = 0; bytes <= 34; ++bytes, start += fill) {
      if (!start.empty()) terms.insert(start);
      for (const std::string& end : fills) terms.insert(start + end);
      for (const std::string& end : fills) terms.insert(start + end + std::string(16, '\0') + end);
    }
  }
  std::mt19937_64 random(seed);
  const std::string letters(
      "\0\x01"
      "a\xFE\xFF",
      5);
  while (random_count-- != 0) {
    std::string term = "sixteen bytes...";
    term.resize(random() % 3 == 0 ? random() % 17 : 16);
    for (std::size_t more = 1 + random() % 4; more != 0; --more) term += letters[random() % letters.size()];
    terms.insert(std::move(term));
  }
  return terms;
}

}  // namespace spillway::testing
