// The result of a string sorter on the device: the identity order that sorts start from, and the LCPs and the equal
// neighbours of a sorted order.
#pragma once

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// UsageError for more strings than 32-bit indices can number.
void check_string_count(std::size_t count);

// d_order[i] = i.
void fill_identity(std::uint32_t* d_order, std::size_t count, GpuStreamHandle stream);

// d_lcps[i] = bytes that strings d_order[i - 1] and d_order[i] share; 0 for i = 0. Reads each string twice at most.
void compute_lcps(const DeviceStrings& strings, const std::uint32_t* d_order, std::uint32_t* d_lcps,
                  GpuStreamHandle stream);

// Fills out.d_firsts as DeviceStringSorter::sort_and_mark() does, by comparing neighbours. Requires: out.d_order is the
// order of the strings.
void mark_firsts(const DeviceStrings& strings, const MarkedOrder& out, GpuStreamHandle stream);

}  // namespace spillway
