// Splits the text of an SGML document, fed in pieces cut anywhere, into characters and tags, in constant memory. No
// document type is known, so it is only told apart what surely is markup: a "<" that no letter, "/" and letter, "!" or
// "?" follows, or no ">" within 4096 bytes and before the next "<", is a character. Comments, declarations and
// processing instructions are dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spillway {

struct SgmlTag {
  std::string_view name;  // in lower case
  bool is_end = false;
  std::uint64_t begin = 0, end = 0;  // in the document: of its "<", and behind its ">"
};

class SgmlHandler {
 public:
  virtual ~SgmlHandler() = default;
  // As they stand: entities are not resolved. Views live for the call.
  virtual void characters(std::string_view bytes, std::uint64_t offset) = 0;
  virtual void tag(const SgmlTag& tag) = 0;
};

class SgmlScanner {
 public:
  // `offset`: of what is fed first.
  SgmlScanner(SgmlHandler& handler, std::uint64_t offset) : handler_(handler), offset_(offset) {}
  void feed(std::string_view piece);
  // The end of the document.
  void finish();

 private:
  enum class State : std::uint8_t { kCharacters, kMarkup, kComment };
  void feed_markup(char byte);
  void end_markup();
  void give_up();
  bool may_follow(char byte) const;

  SgmlHandler& handler_;
  State state_ = State::kCharacters;
  std::uint64_t offset_;  // of what is fed next
  std::string markup_;    // so far, from its "<"
  std::uint64_t markup_begin_ = 0;
  int dashes_ = 0;  // in a comment, before what is fed next
};

}  // namespace spillway
