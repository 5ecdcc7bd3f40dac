// Where one record of a format ends and the next begins, as far as that can be told without reading from the start of
// a file: behind a newline, or, in trec, at a <DOC> tag in any case of letters. So a file may be cut anywhere, and
// every cutting gives the same records.
#pragma once

#include <cstddef>
#include <string_view>

#include "corpora/document/corpus_options.hpp"

namespace spillway {

class RecordBorders {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  RecordBorders() = default;
  explicit RecordBorders(CorpusFormat format) : is_trec_(format == CorpusFormat::kTrec) {}

  // The first border at or behind `from`: an offset in `bytes`, which may be their end. Offset 0 is one only at a tag.
  std::size_t find(std::string_view bytes, std::size_t from) const;
  // The last border at or behind `from`.
  std::size_t find_last(std::string_view bytes, std::size_t from) const;
  // The first offset that these bytes do not decide about: more have to be seen. At most undecided_bytes() from the
  // end.
  std::size_t first_undecided(std::size_t bytes) const;
  std::size_t undecided_bytes() const { return is_trec_ ? kTagBytes - 1 : 0; }
  // How many of the bytes are records that no loss of what follows can harm.
  std::size_t whole_bytes(std::string_view bytes) const;
  // Whether a newline, and a CR before it, end a record without being part of it.
  bool are_newlines() const { return !is_trec_; }

 private:
  static constexpr std::size_t kTagBytes = 6;  // </DOC>
  bool is_trec_ = false;
};

}  // namespace spillway
