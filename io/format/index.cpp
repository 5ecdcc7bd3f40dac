#include "io/format/index.hpp"

#include "io/base/error.hpp"

namespace spillway {

void throw_damaged(std::string_view path, std::uint64_t offset, std::string_view expected, std::string_view found) {
  throw FormatError(
      printable(path) + " at byte " + std::to_string(offset) + ": expected " + std::string(expected) + ", found " +
      std::string(found) +
      "; the file is damaged or belongs to another index: restore the index from a copy or build it again");
}

}  // namespace spillway
