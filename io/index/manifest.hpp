// The manifest, the last file of an index: counts, checksums, content options, and the size, hash and footer CRC of
// every section file. An index without a complete manifest does not open.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/format/content_options.hpp"
#include "io/format/index.hpp"
#include "io/format/index_types.hpp"
#include "io/section/layout.hpp"

namespace spillway {

struct Manifest {
  IndexCounts counts;
  ContentOptions options;
  std::array<SectionStats, kSectionCount> sections;

  std::string serialize() const;
  // Returns whether `bytes` are a manifest of any version, whole by its checksum.
  static bool is_whole(std::string_view bytes);
  // Throws FormatError naming `path`.
  static Manifest parse(std::string_view bytes, const std::string& path);
};

}  // namespace spillway
