// `sort --debug`: shows below each line which part of it each key compares, and warns about questionable options.
#pragma once

#include "sort/lines/block/output.hpp"
#include "tools/commands/sort/options/options.hpp"

namespace spillway {

// Passes whole lines on to `output`, each with its marks.
class DebugOutput final : public LineOutput {
 public:
  DebugOutput(const LineOrder& order, LineOutput& output) : order_(order), output_(output) {}
  bool has_places() const override { return false; }
  void write(std::span<const std::uint8_t> bytes) override;
  void write_at(std::uint64_t, std::span<const std::uint8_t> bytes) override { write(bytes); }

 private:
  const LineOrder& order_;
  LineOutput& output_;
};

// The warnings, in the order in which they are printed.
std::vector<std::string> debug_warnings(const SortOptions& options);

}  // namespace spillway
