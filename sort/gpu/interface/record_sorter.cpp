#include "sort/gpu/interface/record_sorter.hpp"

#include <stdexcept>
#include <string>

namespace spillway {

std::size_t DeviceRecordSorter::pairs_scratch_bytes(std::size_t, BitRange) const {
  throw std::logic_error(std::string(name()) + " sorts no pairs");
}

DeviceRecordSorter::Pairs DeviceRecordSorter::sort_pairs(Pairs, std::size_t, BitRange, std::uint8_t*,
                                                         GpuStreamHandle) const {
  throw std::logic_error(std::string(name()) + " sorts no pairs");
}

}  // namespace spillway
