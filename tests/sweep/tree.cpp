#include "tests/sweep/tree.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace spillway::sweep {

namespace {

namespace fs = std::filesystem;

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
  fs::last_write_time(path, fs::file_time_type{});  // a job that goes on refuses inputs that were written since
}

}  // namespace

Tree read_tree(const std::string& directory) {
  Tree tree;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const std::string path = entry.path().string().substr(directory.size() + 1);
    if (entry.is_directory()) {
      tree[path] = std::nullopt;
    } else {
      tree[path] = read_bytes(entry.path());
    }
  }
  return tree;
}

void write_tree(const std::string& directory, const Tree& tree) {
  fs::remove_all(directory);
  fs::create_directory(directory);
  for (const auto& [path, bytes] : tree) {  // a directory comes before what is in it
    if (bytes) {
      write_bytes(directory + "/" + path, *bytes);
    } else {
      fs::create_directory(directory + "/" + path);
    }
  }
}

Tree part_of(const Tree& tree, const std::string& path) {
  Tree part;
  for (const auto& [other, bytes] : tree) {
    if (other == path || other.starts_with(path + "/")) part[other] = bytes;
  }
  return part;
}

std::string without_unique_part(const std::string& path) {
  constexpr std::size_t kBytes = 17;  // a dot and 16 digits
  if (path.size() <= kBytes) return path;
  const std::size_t dot = path.size() - kBytes;
  const bool is_unique = path[dot] == '.' && path.find_first_not_of("0123456789abcdef", dot + 1) == std::string::npos;
  return is_unique ? path.substr(0, dot) : path;
}

std::string difference(const Tree& expected, const Tree& found) {
  for (const auto& [path, bytes] : expected) {
    const auto other = found.find(path);
    if (other == found.end()) return path + " is gone";
    if (other->second.has_value() != bytes.has_value()) return path + " is of another kind";
    if (!bytes || *bytes == *other->second) continue;
    const auto [a, b] = std::mismatch(bytes->begin(), bytes->end(), other->second->begin(), other->second->end());
    return path + " differs from byte " + std::to_string(a - bytes->begin()) + " on (" + std::to_string(bytes->size()) +
           " and " + std::to_string(other->second->size()) + " bytes)";
  }
  for (const auto& [path, bytes] : found) {
    if (!expected.contains(path)) return path + " is left";
  }
  return "";
}

}  // namespace spillway::sweep
