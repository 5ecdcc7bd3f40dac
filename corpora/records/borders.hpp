// Finds the borders between the records of a format without reading a file from its start: after a newline, or, in
// trec, at a <DOC> tag in upper or lower case, with or without attributes. A file may therefore be cut anywhere, and
// always gives the same records. Time O(bytes).
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

  // Offset of the first border from `from` on, which may be bytes.size(). Offset 0 is a border only at a tag.
  std::size_t find(std::string_view bytes, std::size_t from) const;
  // Offset of the last border from `from` on.
  std::size_t find_last(std::string_view bytes, std::size_t from) const;
  // The first offset at which more bytes are needed to tell whether it is a border; at most undecided_bytes() before
  // the end.
  std::size_t first_undecided(std::size_t bytes) const;
  std::size_t undecided_bytes() const { return is_trec_ ? kTagBytes - 1 : 0; }
  // Length of the records that stay whole even if all following bytes are lost.
  std::size_t whole_bytes(std::string_view bytes) const;
  // Whether a newline, with a CR before it, ends a record without being part of it.
  bool are_newlines() const { return !is_trec_; }

 private:
  static constexpr std::size_t kTagBytes = 6;  // </DOC>
  bool is_trec_ = false;
};

}  // namespace spillway
