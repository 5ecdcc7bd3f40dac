// The order of texts in a language (UTS #10, as ICU tailors it for a locale), as byte strings that memcmp orders so.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct UCollator;

namespace spillway {

// Whether a locale names another encoding than UTF-8, as de_DE.ISO-8859-1 does.
bool has_other_encoding(std::string_view locale);

// Thread-safe.
class Collation {
 public:
  // `locale`: as ICU names it, like de_AT or es@collation=traditional; UTF-8 may be named as the encoding
  // (de_AT.UTF-8). Throws UsageError for a language that ICU does not know, for keywords and values that have no effect
  // on its order, and for other encodings.
  explicit Collation(const std::string& locale);

  // Appends the sort key of a UTF-8 text, and a zero byte, which is in no sort key: so no string is a prefix of another
  // one. Texts that differ may have equal keys. Broken UTF-8 counts as U+FFFD. O(text).
  void append(std::string_view text, std::string& key) const;
  // Of ICU and of the locale's rules, as this process runs them: with another one, sort keys may differ.
  std::string version() const;

 private:
  struct Close {
    void operator()(UCollator* collator) const;
  };
  std::unique_ptr<UCollator, Close> collator_;
};

}  // namespace spillway
