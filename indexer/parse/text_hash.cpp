#include "indexer/parse/text_hash.hpp"

#include <array>
#include <cstdint>

#include "io/base/byte_order.hpp"
#include "io/base/bytes.hpp"

namespace spillway {

// The length comes first, so that no title and text together are another title and text.
TextHash::TextHash(std::string_view title) {
  std::array<std::uint8_t, sizeof(std::uint64_t)> length;
  store_le<std::uint64_t>(length.data(), title.size());
  hash_.update(length);
  add(title);
}

void TextHash::add(std::string_view text) { hash_.update(bytes_of(text)); }

}  // namespace spillway
