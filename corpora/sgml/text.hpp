// Characters of an SGML document to plain text: entities are resolved, broken UTF-8 is repaired, white space at the
// start is left out, and a tag between two words separates them by a space.
#pragma once

#include <string>
#include <string_view>

#include "corpora/document/utf8.hpp"

namespace spillway {

// The character of an entity such as "amp" or "#x20AC" (what stands between "&" and ";"); 0: unknown. Known are the
// five of XML, those of Latin 1, and numbers.
unsigned sgml_entity(std::string_view name);

class SgmlText final : private TextOutput {
 public:
  explicit SgmlText(TextOutput& out) : out_(out) {}
  // Pieces may be cut anywhere.
  void feed(std::string_view characters);
  void separate();
  void finish() { end_stretch(); }
  bool repaired() const { return repaired_ || repairer_.repaired(); }

 private:
  void append(std::string_view piece) override;
  void feed_entity(char byte);
  void end_stretch();
  void give_up();

  TextOutput& out_;
  Utf8Repairer repairer_;
  std::string entity_;  // so far, from its "&"
  bool any_ = false, ends_in_space_ = false, separated_ = false, repaired_ = false;
};

}  // namespace spillway
