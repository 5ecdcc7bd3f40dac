// The file spillway-job of a resumable job: what the job is, as far as its bytes depend on it. A job that goes on must
// have the same description; threads, memory, mode and sorters are no part of it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/base/checksum.hpp"
#include "io/format/content_options.hpp"

namespace spillway {

class JobDescription {
 public:
  static constexpr std::size_t kListedInputs = 1000;
  struct Input {
    std::string identity;  // "1234 bytes, modified at 99 ns": differs once the content may have changed
    std::string path;
  };

  std::string command;                                       // "index", "append" or "merge"
  std::string release;                                       // of the program
  ContentOptions content;                                    // versions included
  std::vector<std::pair<std::string, std::string>> options;  // others that change the bytes, with their values
  std::uint64_t input_bytes = 0;

  // Adds the next input. The hash covers all, but only the first kListedInputs are kept, to name the one that changed.
  void add_input(const Input& input, std::uint64_t bytes);
  std::uint64_t input_count() const { return input_count_; }
  const std::vector<Input>& listed_inputs() const { return inputs_; }

  std::string serialize() const;
  // Throws FormatError naming `path`.
  static JobDescription parse(std::string_view text, const std::string& path);
  // Returns in words what differs from the job of `before`; empty if nothing does.
  std::string difference_from(const JobDescription& before) const;

 private:
  std::string input_difference_from(const JobDescription& before) const;
  std::uint64_t input_count_ = 0;
  std::string inputs_hash_;  // of the hash of the inputs before and the input, in hexadecimal digits
  std::vector<Input> inputs_;
};

}  // namespace spillway
