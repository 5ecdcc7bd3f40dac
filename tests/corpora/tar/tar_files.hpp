// Tar files for tests, made block by block, so that any field may be wrong.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "corpora/tar/header.hpp"

namespace spillway::testing {

inline void pad_to_block(std::string& bytes) {
  bytes.resize((bytes.size() + kTarBlockBytes - 1) / kTarBlockBytes * kTarBlockBytes);
}

// Writes the checksum of a header.
inline std::string with_checksum(std::string header) {
  header.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<std::uint8_t>(byte);
  char text[8];
  std::snprintf(text, sizeof text, "%06o", sum & 0777777);
  return header.replace(148, 7, std::string(text, 7));
}

inline std::string tar_header(std::string_view name, std::uint64_t size, char type = '0') {
  std::string header(kTarBlockBytes, '\0');
  const auto put = [&](std::size_t at, std::string_view text) { header.replace(at, text.size(), text); };
  char octal[24];
  std::snprintf(octal, sizeof octal, "%011llo", static_cast<unsigned long long>(size));
  put(0, name.substr(0, 100));
  put(100, "0000644");
  put(124, std::string_view(octal, 11));
  put(136, "14000000000");
  header[156] = type;
  put(257, std::string_view("ustar\00000", 8));
  return with_checksum(header);
}

inline std::string tar_member(std::string_view name, std::string_view bytes, char type = '0') {
  std::string member = tar_header(name, bytes.size(), type);
  member += bytes;
  pad_to_block(member);
  return member;
}

inline std::string pax_line(const std::string& key, const std::string& value) {
  std::size_t length = key.size() + value.size() + 4;
  while (std::to_string(length).size() + key.size() + value.size() + 3 != length) {
    length = std::to_string(length).size() + key.size() + value.size() + 3;
  }
  return std::to_string(length) + " " + key + "=" + value + "\n";
}

inline std::string tar_end() { return std::string(2 * kTarBlockBytes, '\0'); }

}  // namespace spillway::testing
