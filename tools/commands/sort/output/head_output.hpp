// `sort --head`: the first lines of the output.
#pragma once

#include <atomic>
#include <cstdint>

#include "sort/lines/block/output.hpp"

namespace spillway {

// Takes lines in order and puts out the first `lines` of them. The output outlives it.
class HeadOutput final : public LineOutput {
 public:
  HeadOutput(LineFormat format, std::uint64_t lines, LineOutput& output)
      : format_(format), left_(lines), output_(output) {}
  bool has_places() const override { return false; }
  void write(std::span<const std::uint8_t> bytes) override;
  void write_at(std::uint64_t, std::span<const std::uint8_t> bytes) override { write(bytes); }
  bool is_full() const override { return left_ == 0; }

 private:
  LineFormat format_;
  std::atomic<std::uint64_t> left_;
  LineOutput& output_;
};

}  // namespace spillway
