// The file spillway-job of a resumable job: what the job is, as far as its bytes depend on it. A job that goes on must
// have the same description; threads, memory, mode and sorters are no part of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/file/described_inputs.hpp"
#include "io/format/content_options.hpp"

namespace spillway {

struct JobDescription {
  std::string command;                                       // "index", "append" or "merge"
  std::string release;                                       // of the program
  ContentOptions content;                                    // versions included
  std::vector<std::pair<std::string, std::string>> options;  // others that change the bytes, with their values
  DescribedInputs inputs;

  std::string serialize() const;
  // Throws FormatError naming `path`.
  static JobDescription parse(std::string_view text, const std::string& path);
  // Returns in words what differs from the job of `before`; empty if nothing does.
  std::string difference_from(const JobDescription& before) const;
};

}  // namespace spillway
