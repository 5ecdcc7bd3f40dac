// A file of given bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/file/file_system.hpp"

namespace spillway::testing {

class BytesFile final : public ReadableFile {
 public:
  explicit BytesFile(std::vector<std::uint8_t> bytes, std::string path = "forged-run")
      : bytes_(std::move(bytes)), path_(std::move(path)) {}
  std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const override {
    if (offset >= bytes_.size()) return 0;
    const std::size_t count = std::min(out.size(), bytes_.size() - static_cast<std::size_t>(offset));
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), count, out.begin());
    return count;
  }
  std::uint64_t size() const override { return bytes_.size(); }
  const std::string& path() const override { return path_; }

 private:
  const std::vector<std::uint8_t> bytes_;
  const std::string path_;
};

}  // namespace spillway::testing
