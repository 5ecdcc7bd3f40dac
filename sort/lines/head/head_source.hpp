// What a sort that puts out the first lines only (`sort --head`) reads: the first lines of the blocks so far, and then
// those of the input that may be among the first ones. So few lines are sorted, whatever the input's size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "io/memory/budget.hpp"
#include "sort/lines/block/block.hpp"
#include "sort/lines/block/input.hpp"
#include "sort/lines/head/threshold.hpp"

namespace spillway {

// The lines of a block that are wanted, if it is all there is: those of its first parts.
struct BlockHead {
  std::size_t parts = 0;
  std::size_t lines = 0, bytes = 0;  // bytes: with the ends of lines
  std::uint64_t count = 0;           // of lines or groups, as the head counts
  double share = 0;                  // of the block's lines or bytes, the greater one
};

// Not thread-safe; works in parallel inside the calling thread's TBB arena. All arguments outlive it.
class HeadSource final : public LineSource {
 public:
  // Keeps at most `most_bytes` of lines.
  HeadSource(LineInput& input, const LineOrder& order, const KeyEncoder& encoder, LineHead head, MemoryBudget& budget,
             std::size_t most_bytes);

  // Lines that are not among the first ones for what find() knows are left out.
  std::size_t read(std::span<std::uint8_t> out) override;
  bool is_at_end() const override { return given_ == kept_bytes_ && input_.is_at_end(); }
  std::uint64_t lines_read() const { return lines_read_; }

  // Sorts the first parts of an arranged block. O(lines that are wanted), besides.
  BlockHead find(LineBlock& block);
  // Copies these lines, and takes the text that the block has not taken in, to give them anew. Returns false, and
  // leaves all as it is, if that is too much.
  bool keep(LineBlock& block, const BlockHead& first);

 private:
  std::size_t rest_of_line(std::span<const std::uint8_t> text) const;
  void note(std::span<const std::uint8_t> text);
  std::size_t filter(std::span<std::uint8_t> text);
  bool begins_group(std::string_view line);

  LineInput& input_;
  LineFormat format_;
  const KeyEncoder& encoder_;
  LineHead head_;
  HeadThreshold threshold_;
  MemoryBudget& budget_;
  std::size_t most_bytes_;
  Buffer kept_;
  std::size_t kept_bytes_ = 0, given_ = 0;
  std::uint64_t lines_read_ = 0;
  bool is_in_line_ = false;          // the begin of the input's next line was given
  std::size_t begun_in_record_ = 0;  // of a record: so many bytes of it
  std::string key_, last_key_;
};

}  // namespace spillway
