// `gpu-string-radix:paper`: the string sort of Deshpande and Narayanan ("Can GPUs sort strings efficiently?", HiPC
// 2013, section III) as their text has it, for comparison with gpu-string-radix, its modern form. A round sorts keys of
// eight bytes [segment | next bytes]; strings that stand alone in their segment leave; segments are numbered anew by a
// scan.
#pragma once

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

enum class Singletons : std::uint8_t { kRemoved, kKept };        // III.A
enum class SegmentIds : std::uint8_t { kAdaptive, kFourBytes };  // III.B: as few bytes as their number needs, or four

// The optimisations that the paper's tables III and IV switch off.
struct SegmentSortForm {
  std::string_view name = "gpu-string-radix:paper";
  Singletons singletons = Singletons::kRemoved;
  SegmentIds ids = SegmentIds::kAdaptive;
};

// Stable. Rounds: one for each 4 to 8 bytes of the longest tie, each O(n) in the strings that are left, and a wait for
// the stream. Scratch: 44 bytes a string and CUB's own. Differs from the paper where strings hold NUL: a byte of the
// key then counts the string's bytes in it. Requires: strings shorter than 2^32 bytes.
class GpuStringRadixPaperSorter final : public DeviceStringSorter {
 public:
  explicit GpuStringRadixPaperSorter(const SegmentSortForm& form = {}) : form_(form) {}
  std::string_view name() const override { return form_.name; }
  std::size_t scratch_bytes(std::size_t count, std::size_t total_bytes) const override;
  void sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps, std::uint8_t* d_scratch,
            GpuStreamHandle stream) const override;
  // Steps as in the paper's table II: "sort" (t1), "scan and scatter" (t2), "other kernels" (t3).
  SortSteps sort_in_steps(const DeviceStrings& strings, std::uint32_t* d_order, std::uint8_t* d_scratch,
                          GpuStreamHandle stream) const override;

 private:
  SegmentSortForm form_;
};

}  // namespace spillway
