// What the targets of compressed input share: they unpack bytes in several ways and compare.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "corpora/document/corpus_options.hpp"
#include "corpora/unpack/codec.hpp"

namespace spillway::fuzz {

using MakeCodec = std::function<std::unique_ptr<Codec>()>;
using Pack = std::function<std::string(std::string_view bytes)>;

struct Unpacked {
  std::string bytes;
  std::vector<std::pair<SkipReason, std::uint64_t>> faults;  // with the number of bytes before each
  bool operator==(const Unpacked&) const = default;
};

// Unpacks `stored`, and checks that the result does not depend on how many bytes are read at a time.
Unpacked unpack_in_all_ways(std::string_view stored, const MakeCodec& codec);

// A file of several members, as the bytes of `script` say: whole ones, cut and damaged ones, junk between them.
struct PackedFile {
  std::string stored;
  std::optional<std::string> content;  // if nothing is damaged
};
PackedFile packed_file(std::string_view script, const Pack& pack);

// The format in which the content of a packed file is read.
CorpusFormat content_format(std::uint8_t options);

}  // namespace spillway::fuzz
