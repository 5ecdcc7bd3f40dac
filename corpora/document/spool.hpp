// A record that is too long for a buffer, on its way to a scratch file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "io/scratch/temp_space.hpp"

namespace spillway {

// Writes a record to a scratch file and counts its bytes. The file is dropped when the record exceeds `most_bytes`.
class Spool {
 public:
  Spool(TempSpace& temp, std::uint64_t most_bytes) : file_(temp.create("record")), most_bytes_(most_bytes) {}

  void append(std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) return;
    bytes_ += bytes.size();
    last_byte_ = bytes.back();
    if (is_too_long()) file_.reset();
    if (file_ != nullptr) file_->writer().append(bytes);
  }
  bool is_too_long() const { return bytes_ > most_bytes_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint8_t last_byte() const { return last_byte_; }
  std::unique_ptr<TempFile> take() { return std::move(file_); }

 private:
  std::unique_ptr<TempFile> file_;
  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  std::uint8_t last_byte_ = 0;
};

}  // namespace spillway
