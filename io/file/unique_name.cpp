#include "io/file/unique_name.hpp"

#include <cinttypes>
#include <cstdio>
#include <random>

namespace spillway {

std::string unique_name(const std::string& stem) {
  std::random_device source;
  const std::uint32_t first = source(), second = source();
  char digits[24];
  std::snprintf(digits, sizeof digits, ".%08" PRIx32 "%08" PRIx32, first, second);
  return stem + digits;
}

}  // namespace spillway
