// The options that change what an index holds, and no others. Stored in every index and hashed into the job id of every
// run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/base/checksum.hpp"

namespace spillway {

enum class Tokenizer : std::uint8_t { kUnicode = 0, kAscii = 1 };
enum class StorePolicy : std::uint8_t { kNone = 0, kMeta = 1, kText = 2 };
enum class DuplicateIds : std::uint8_t { kFirst = 0, kKeep = 1, kFail = 2 };

struct ContentOptions {
  Tokenizer tokenizer = Tokenizer::kUnicode;
  std::string stop_words;        // sorted, distinct, each followed by '\n'; compared with tokens before stemming
  std::string stemmer = "none";  // "none" or the name of a libstemmer algorithm
  std::uint32_t max_term_bytes = 255;
  std::uint64_t max_document_bytes = std::uint64_t{64} << 20;
  bool positions = false;
  StorePolicy store = StorePolicy::kMeta;
  DuplicateIds duplicate_ids = DuplicateIds::kFirst;
  std::string icu_version;      // of the library that made the index; empty with tokenizer ascii
  std::string stemmer_version;  // empty with stemmer none
  std::string zstd_version;

  bool operator==(const ContentOptions&) const = default;

  // Canonical bytes: the same for equal options on every machine.
  std::string serialize() const;
  // Throws FormatError naming `where`.
  static ContentOptions parse(std::string_view bytes, std::string_view where);
  Hash128 job() const;
};

}  // namespace spillway
