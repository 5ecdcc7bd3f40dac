// Id and stored fields of the open document. They are written as an entry of the document stream (io/format/run.hpp)
// when the document ends or is cut.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/document/sink.hpp"
#include "io/base/checksum.hpp"
#include "io/format/content_options.hpp"
#include "io/format/cursors.hpp"

namespace spillway {

class DocumentStrings {
 public:
  // Copies what is to be stored. Returns how many fields were too long, and were cut at a character.
  unsigned keep(const DocumentFields& fields, StorePolicy store);
  // The document ends: keeps the hash of its title and text.
  void keep_text_hash(const Hash128& hash);
  // Appends the document's entry; `length` counts its tokens.
  void append_to(std::vector<std::uint8_t>& stream, std::uint32_t length);
  // Presence bits (RunDocument).
  std::uint8_t fields() const { return document_.fields; }
  // The document goes on in the next chunk, which does not repeat its strings.
  void clear_fields() { document_.fields = 0; }

 private:
  unsigned keep_field(bool has, std::string_view value, std::uint8_t bit, std::string& kept);
  RunDocument document_;
  std::string id_, title_, url_, date_;
  Hash128 text_hash_{};
};

}  // namespace spillway
