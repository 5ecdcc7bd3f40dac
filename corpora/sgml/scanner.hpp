// Splits an SGML document, which arrives in fragments, into characters and tags, in constant memory and time O(bytes).
// Because the document type is unknown, only what is certainly markup is taken for markup: a "<" is a character unless
// a letter, "/" and a letter, "!" or "?" follows it, and a ">" follows within 4096 bytes and before the next "<".
// Comments, declarations and processing instructions are dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spillway {

struct SgmlTag {
  std::string_view name;  // in lower case
  bool is_end = false;
  std::uint64_t begin = 0, end = 0;  // offsets in the document of its "<" and after its ">"
};

class SgmlHandler {
 public:
  virtual ~SgmlHandler() = default;
  // Entities are not resolved. The view is valid during the call.
  virtual void characters(std::string_view bytes, std::uint64_t offset) = 0;
  virtual void tag(const SgmlTag& tag) = 0;
};

class SgmlScanner {
 public:
  // `offset`: that of the first byte to be fed.
  SgmlScanner(SgmlHandler& handler, std::uint64_t offset) : handler_(handler), offset_(offset) {}
  void feed(std::string_view fragment);
  // Ends the document.
  void finish();
  static bool is_name_byte(char byte);

 private:
  enum class State : std::uint8_t { kCharacters, kMarkup, kComment };
  void feed_markup(char byte);
  void end_markup();
  void give_up();
  bool may_follow(char byte) const;

  SgmlHandler& handler_;
  State state_ = State::kCharacters;
  std::uint64_t offset_;  // of the next byte
  std::string markup_;    // from its "<" to the current byte
  std::uint64_t markup_begin_ = 0;
  int dashes_ = 0;  // in a comment: dashes just before the next byte, at most 2
};

}  // namespace spillway
