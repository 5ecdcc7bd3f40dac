#include "tools/commands/sort/head_output.hpp"

#include <cstring>

namespace spillway {

void HeadOutput::write(std::span<const std::uint8_t> bytes) {
  std::uint64_t left = left_;
  const std::uint8_t *at = bytes.data(), *const end = at + bytes.size();
  for (; left != 0 && at != end; --left) {
    const void* const found = std::memchr(at, line_end_, static_cast<std::size_t>(end - at));
    at = static_cast<const std::uint8_t*>(found) + 1;
  }
  if (at != bytes.data()) output_.write({bytes.data(), at});
  left_ = left;
}

}  // namespace spillway
