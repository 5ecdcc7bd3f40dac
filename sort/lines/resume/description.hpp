// The file spillway-job of a sort that can go on: what is sorted, and how. A sort that goes on must have the same
// description; memory, threads and sorters are no part of it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/file/described_inputs.hpp"

namespace spillway {

// Options of a description that its readers look for: which keys there are, and how many inputs are packed.
inline constexpr const char *kKeysName = "the keys", *kPackedInputsName = "the number of packed inputs";

struct SortDescription {
  std::string release;                                       // of the program
  std::vector<std::pair<std::string, std::string>> options;  // that change the output, always the same ones
  DescribedInputs inputs;

  std::string serialize() const;
  // Throws FormatError naming `path`.
  static SortDescription parse(std::string_view text, const std::string& path);
  // Returns in words what differs from the sort of `before`; empty if nothing does.
  std::string difference_from(const SortDescription& before) const;
};

}  // namespace spillway
