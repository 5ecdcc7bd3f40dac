// HTML's named character references (WHATWG HTML, section 13.5): 2,231 names, 106 of which also work without their
// semicolon. The table is checked in as entities_table.hpp, which make_entities.py makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace spillway {

inline constexpr std::size_t kLongestEntityName = 31;  // without "&" and ";"

struct HtmlEntity {
  std::string_view name;                // without "&" and ";"
  std::uint32_t first = 0, second = 0;  // code points; second is 0 if there is one only
  bool needs_semicolon = true;
};

// Finds the names that begin with a text that arrives byte by byte. Time O(log names) a byte.
class HtmlEntitySearch {
 public:
  HtmlEntitySearch();
  // Appends a byte to the text. Returns false if no name begins so; then only match() may be called.
  bool narrow(char byte);
  // The name that equals the text; nullptr if there is none. Valid for ever.
  const HtmlEntity* match() const;

 private:
  std::size_t begin_ = 0, end_ = 0;  // of the names that begin with the text
  std::size_t length_ = 0;           // of the text
};

}  // namespace spillway
