// The interfaces through which a merge reads a run or an index: term entries in order, documents in order, texts in
// order.
#pragma once

#include <cstdint>
#include <string_view>

#include "io/format/run.hpp"

namespace spillway {

class TermCursor {
 public:
  virtual ~TermCursor() = default;
  // Moves to the next entry in (term, document) order; false at the end. Views of the entry live until the next call.
  virtual bool next() = 0;
  virtual const RunEntry& entry() const = 0;
  // True if no further entry of the term follows; false if one follows or finding out would need another read.
  virtual bool ends_term() const { return false; }
};

// One document of a document stream.
struct RunDocument {
  // Bits of `fields`.
  static constexpr std::uint8_t kId = 1, kTitle = 2, kUrl = 4, kDate = 8, kText = 16, kTextHash = 32, kKnownFields = 63;
  static constexpr std::uint8_t kIndexFields = 31;  // those that an index stores
  // The value of `fields` for a document that an index has dropped: a hole in its source numbering.
  static constexpr std::uint8_t kDropped = 0x80;
  std::uint8_t fields = 0;   // which strings are present; a present string may be empty
  std::uint32_t length = 0;  // tokens kept; for an open document only those in this run
  std::string_view id, title, url, date;
  std::string_view text;       // as stored in this run; for an open document only a part
  std::string_view text_hash;  // of title and text, 16 bytes; where an open document ends
};

class DocumentCursor {
 public:
  virtual ~DocumentCursor() = default;
  // Moves to the next document; false after the last. Views live until the next call.
  virtual bool next() = 0;
  virtual const RunDocument& document() const = 0;
};

// The texts of documents, in document order. A text is a sequence of fragments; the last one is marked.
struct TextFragment {
  std::string_view bytes;
  bool ends_document = false;
};

class TextCursor {
 public:
  virtual ~TextCursor() = default;
  // Moves to the next fragment; false after the last. Views live until the next call.
  virtual bool next() = 0;
  virtual const TextFragment& fragment() const = 0;
};

}  // namespace spillway
