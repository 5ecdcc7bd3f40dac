#include "tools/commands/sort/output/head_output.hpp"

namespace spillway {

void HeadOutput::write(std::span<const std::uint8_t> bytes) {
  std::uint64_t left = left_;
  std::size_t taken = 0;
  for (; left != 0 && taken != bytes.size(); --left) taken = format_.after_line(bytes.data(), taken, bytes.size());
  if (taken != 0) output_.write(bytes.first(taken));
  left_ = left;
}

}  // namespace spillway
