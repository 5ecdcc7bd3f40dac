// The inputs of a job that can go on after an interruption, as its description names them: the next job must have the
// same ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/file/sealed_text.hpp"

namespace spillway {

class DescribedInputs {
 public:
  static constexpr std::size_t kListed = 1000;
  struct Input {
    std::string identity;  // "1234 bytes, modified at 99 ns": differs once the content may have changed
    std::string path;
  };

  // Adds the next input. The hash covers all, but only the first kListed are kept, to name the one that changed.
  void add(const Input& input, std::uint64_t bytes);
  std::uint64_t count() const { return count_; }
  std::uint64_t bytes() const { return bytes_; }
  const std::vector<Input>& listed() const { return listed_; }

  // The lines `inputs` and `input` at the end of a description.
  void write(SealedTextWriter& to) const;
  // Reads them to the end of the text. `line`: the word of the line at which the reader stands. Throws FormatError.
  static DescribedInputs read(SealedTextReader& from, const std::string& line);
  // Returns in words what differs from `before`; empty if nothing does.
  std::string difference_from(const DescribedInputs& before) const;

 private:
  std::uint64_t count_ = 0, bytes_ = 0;
  std::string hash_;  // of the hash of the inputs before and the input, in hexadecimal digits
  std::vector<Input> listed_;
};

// "WHAT was BEFORE and is NOW".
std::string changed_words(const std::string& what, const std::string& before, const std::string& now);

}  // namespace spillway
