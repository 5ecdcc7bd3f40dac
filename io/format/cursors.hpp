// What a merge reads, whether it comes from a run or from an index: term entries in order, and documents in order.
#pragma once

#include <cstdint>
#include <string_view>

#include "io/format/run.hpp"

namespace spillway {

class TermCursor {
 public:
  virtual ~TermCursor() = default;
  // Moves to the next entry, in (term, document) order; false at the end. Views of piece() live until the next call.
  virtual bool next() = 0;
  virtual const TermPiece& piece() const = 0;
  // True: no further piece of the term follows. False where that would have to be looked up.
  virtual bool ends_term() const { return false; }
};

// One document of a document stream.
struct RunDocument {
  // Bits of `fields`.
  static constexpr std::uint8_t kId = 1, kTitle = 2, kUrl = 4, kDate = 8, kText = 16;
  // The whole of `fields` for a document that an index has dropped: a hole in its source numbering.
  static constexpr std::uint8_t kDropped = 0x80;
  std::uint8_t fields = 0;   // which of the strings are there; they may be there and empty
  std::uint32_t length = 0;  // tokens kept, of the part in this run if the document is open
  std::string_view id, title, url, date;
  std::string_view text;  // as stored in this run: a part of it if the document is open
};

class DocumentCursor {
 public:
  virtual ~DocumentCursor() = default;
  // Moves to the next document; false after the last. Views live until the next call.
  virtual bool next() = 0;
  virtual const RunDocument& document() const = 0;
};

// The texts of documents, in their order: each is as many pieces as there are up to the one that ends it.
struct TextPiece {
  std::string_view bytes;
  bool ends_document = false;
};

class TextCursor {
 public:
  virtual ~TextCursor() = default;
  // Moves to the next piece; false after the last. Views live until the next call.
  virtual bool next() = 0;
  virtual const TextPiece& piece() const = 0;
};

}  // namespace spillway
