#include "tools/commands/sort/output/head_output.hpp"

namespace spillway {

void HeadOutput::write(std::span<const std::uint8_t> bytes) {
  std::uint64_t left = left_;
  std::size_t taken = 0;
  for (; left != 0 && taken != bytes.size(); --left) {
    // An input that changes while it is sorted may have lost the end of its last line.
    const std::size_t end = format_.after_line(bytes.data(), taken, bytes.size());
    taken = end == 0 ? bytes.size() : end;
  }
  if (taken != 0) output_.write(bytes.first(taken));
  left_ = left;
}

}  // namespace spillway
