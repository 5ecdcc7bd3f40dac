// `sort --count`: one line for each group of lines with equal keys, with their number, as `uniq -c` prints it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sort/lines/block/output.hpp"
#include "sort/lines/keys/key_encoder.hpp"
#include "sort/lines/keys/long_lines.hpp"

namespace spillway {

// Takes lines in order and puts out the first of each group. Order and output outlive it. Memory: 128 KiB, and copies
// of the longest line and of its keys.
class CountOutput final : public LineOutput {
 public:
  static LineCopies copies() { return {1, 2}; }
  CountOutput(const LineOrder& order, LineOutput& output) : order_(order), encoder_(order), output_(output) {}
  bool has_places() const override { return false; }
  void write(std::span<const std::uint8_t> bytes) override;
  void write_at(std::uint64_t, std::span<const std::uint8_t> bytes) override { write(bytes); }
  bool is_full() const override { return output_.is_full(); }
  // Puts the last group out.
  void finish();

 private:
  void take(std::string_view line);
  bool is_of_group(std::string_view line);
  void begin_group(std::string_view line);
  void end_group();
  void flush();

  const LineOrder& order_;
  KeyEncoder encoder_;
  LineOutput& output_;
  std::uint64_t count_ = 0;  // of the group; 0: there is none yet
  std::string first_;        // after room for the number, and with its end
  std::string first_key_, key_, text_;
};

}  // namespace spillway
