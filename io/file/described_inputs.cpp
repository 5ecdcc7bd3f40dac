#include "io/file/described_inputs.hpp"

#include <algorithm>

#include "io/base/bytes.hpp"
#include "io/base/checksum.hpp"
#include "io/base/error.hpp"

namespace spillway {

std::string changed_words(const std::string& what, const std::string& before, const std::string& now) {
  return what + " was " + printable(before) + " and is " + printable(now);
}

void DescribedInputs::add(const Input& input, std::uint64_t bytes) {
  if (listed_.size() < kListed) listed_.push_back(input);
  ++count_;
  bytes_ += bytes;
  hash_ = to_hex(hash128(bytes_of(hash_ + input.identity + '\0' + input.path)));
}

void DescribedInputs::write(SealedTextWriter& to) const {
  to.line("inputs").number(count_).number(bytes_).word(hash_);
  for (const Input& input : listed_) to.line("input").word(input.identity).word(input.path);
}

DescribedInputs DescribedInputs::read(SealedTextReader& from, const std::string& line) {
  if (line != "inputs") from.refuse("a line 'inputs'", line);
  DescribedInputs inputs;
  inputs.count_ = from.number();
  inputs.bytes_ = from.number();
  inputs.hash_ = from.word();
  for (std::string name = from.next_line(); name == "input"; name = from.next_line()) {
    std::string identity = from.word();
    inputs.listed_.push_back({std::move(identity), from.word()});
  }
  return inputs;
}

std::string DescribedInputs::difference_from(const DescribedInputs& before) const {
  if (hash_ == before.hash_) return "";
  for (std::size_t i = 0; i < std::min(listed_.size(), before.listed_.size()); ++i) {
    const Input &now = listed_[i], &then = before.listed_[i];
    if (now.path != then.path) return changed_words("input " + std::to_string(i + 1), then.path, now.path);
    if (now.identity != then.identity) {
      return "the input " + changed_words(printable(now.path, 4096), then.identity, now.identity);
    }
  }
  if (count_ != before.count_) {
    return changed_words("the number of inputs", std::to_string(before.count_), std::to_string(count_));
  }
  return "one of the inputs after the first " + std::to_string(kListed) + " has changed";
}

}  // namespace spillway
