// What `spillway sort` may use of the machine, from its options and the limits of the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/commands/sort/options/options.hpp"
#include "tools/commands/sort/packed_inputs.hpp"

namespace spillway {

// -S is a wish, and less serves where there is less.
std::uint64_t memory_bytes(const SortOptions& options);
// None if inputs are not to be unpacked.
std::optional<PackedInputs> find_packed(const SortOptions& options, Session& session);
// Memory of the process less what the sort of lines does not know: what unpacks inputs, of which `most_open` are open
// at once, packs the output or collates.
std::size_t line_sort_memory(const SortOptions& options, const std::optional<PackedInputs>& packed,
                             std::size_t most_open);
// The least --memory that leaves `line_bytes` for lines; `unsorted` tells what threads take beside them.
std::size_t memory_for_lines(const SortOptions& options, Session& session, std::size_t line_bytes,
                             const std::function<std::size_t(std::size_t threads, std::size_t memory)>& unsorted);
std::vector<std::string> temp_directories(const SortOptions& options);
// Each thread needs memory of its own, for texts and contexts of the compressor.
std::size_t thread_count(const SortOptions& options);
// Descriptors for inputs or runs: those that are left after scratch files and a few others, at least 2.
std::size_t most_descriptors(const SortOptions& options);
// Memory that packed inputs take while `open` inputs are open.
std::size_t unpack_bytes(const PackedInputs& packed, std::size_t open);
// Inputs that a merge may open, at least 2: those for which there are descriptors, and which can be unpacked in half of
// the memory.
std::size_t most_open_inputs(const SortOptions& options, const std::optional<PackedInputs>& packed);
std::size_t packing_memory(SortPacking packing);
// With --direct-io: how many threads read the input at once.
std::size_t direct_readers(const SortOptions& options);
// Memory of the threads' buffers for --direct-io.
std::size_t direct_buffer_bytes(const SortOptions& options);

}  // namespace spillway
