// The hash of a document's title and text, by which --dedup exact compares documents.
#pragma once

#include <string_view>

#include "io/base/checksum.hpp"

namespace spillway {

class TextHash {
 public:
  // `title`: as DocumentFields has it; empty if there is none.
  explicit TextHash(std::string_view title);
  // Takes the text, in fragments of any size.
  void add(std::string_view text);
  Hash128 digest() const { return hash_.digest(); }

 private:
  StreamingHash128 hash_;
};

}  // namespace spillway
