// Turns the characters of an SGML document into plain text: resolves entities, repairs broken UTF-8, drops white space
// at the start, and puts a space where a tag separates two words.
#pragma once

#include <string>
#include <string_view>

#include "corpora/document/utf8.hpp"

namespace spillway {

// Returns the character of an entity, given without "&" and ";", such as "amp" or "#x20AC"; 0 if it is unknown. The
// five entities of XML, those of Latin 1, and numbers are known.
unsigned sgml_entity(std::string_view name);

class SgmlText final : private TextOutput {
 public:
  explicit SgmlText(TextOutput& out) : out_(out) {}
  // Fragments may end anywhere.
  void feed(std::string_view characters);
  void separate();
  void finish() { end_stretch(); }
  bool repaired() const { return repaired_ || repairer_.repaired(); }

 private:
  void append(std::string_view fragment) override;
  void feed_entity(char byte);
  void end_stretch();
  void give_up();

  TextOutput& out_;
  Utf8Repairer repairer_;
  std::string entity_;  // from its "&" to the current byte; empty: not in an entity
  bool any_ = false, ends_in_space_ = false, separated_ = false, repaired_ = false;
};

}  // namespace spillway
