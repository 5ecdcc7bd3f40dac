#include "indexer/options/index_options.hpp"

namespace spillway {

std::string_view index_mode_name(IndexMode mode) { return index_mode_names()[static_cast<std::size_t>(mode)]; }

const std::vector<std::string>& index_mode_names() {
  static const std::vector<std::string> names{"auto", "cpu", "cpu+", "gpu", "gpu+"};
  return names;
}

const std::vector<std::string>& dedup_names() {
  static const std::vector<std::string> names{"none", "exact", "url"};
  return names;
}

const std::vector<std::string>& gpu_chunks_names() {
  static const std::vector<std::string> names{"auto", "tables", "tokens"};
  return names;
}

const std::vector<std::string>& gpu_merge_names() {
  static const std::vector<std::string> names{"auto", "always", "never"};
  return names;
}

}  // namespace spillway
