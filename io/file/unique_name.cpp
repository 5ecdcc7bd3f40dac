#include "io/file/unique_name.hpp"

#include <cinttypes>
#include <climits>
#include <cstdio>
#include <random>

namespace spillway {

namespace {

constexpr std::size_t kAddedBytes = 17;

// The stem without as many of its last characters as make the name too long for a file system.
std::string shortened(const std::string& stem) {
  const auto slash = stem.rfind('/');
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  if (stem.size() - begin + kAddedBytes <= NAME_MAX) return stem;
  std::size_t end = begin + NAME_MAX - kAddedBytes;
  while (end > begin && (static_cast<unsigned char>(stem[end]) & 0xC0U) == 0x80) --end;  // inside a UTF-8 character
  return stem.substr(0, end);
}

}  // namespace

std::string unique_name(const std::string& stem) {
  std::random_device source;
  const std::uint32_t first = source(), second = source();
  char digits[kAddedBytes + 1];
  std::snprintf(digits, sizeof digits, ".%08" PRIx32 "%08" PRIx32, first, second);
  return shortened(stem) + digits;
}

}  // namespace spillway
