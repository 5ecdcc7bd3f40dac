// Inputs of `spillway sort` that gzip or zstd packed, recognised by their content.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sort/lines/block/input.hpp"
#include "tools/cli/command.hpp"

namespace spillway {

struct SortMemory {
  std::size_t bytes;
  bool is_limit;  // as --memory, and not a wish, as -S
};

class PackedInputs {
 public:
  // Reads the begins of files. If the memory is a limit, an eighth of it, from 8 to 128 MiB, is for the window of a
  // zstd frame; otherwise 128 MiB may be. The session outlives this object. Throws IoError.
  PackedInputs(Session& session, const std::vector<std::string>& paths, const SortMemory& memory);

  // Inputs that are packed, or may be because they are no files.
  std::size_t count() const { return count_; }
  // Memory that one of them takes while it is open. If the memory is no limit, later zstd frames may take more.
  std::size_t bytes_each() const;
  // Opens what is not a plain file; nullptr for that. The streams throw FormatError, naming path and offset, for packed
  // text that is truncated or damaged, and BudgetError for a zstd frame whose window does not fit.
  InputOpener opener() const;

 private:
  Session& session_;
  std::size_t count_ = 0, codec_bytes_ = 0, zstd_bytes_;
};

}  // namespace spillway
