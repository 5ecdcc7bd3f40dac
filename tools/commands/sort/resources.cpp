#include "tools/commands/sort/resources.hpp"

#include <algorithm>
#include <cstdlib>

#include "io/file/direct_file.hpp"
#include "io/memory/limits.hpp"
#include "sort/lines/resources.hpp"
#include "tools/commands/sort/descriptors.hpp"
#include "tools/commands/sort/output/gzip_output.hpp"
#include "tools/commands/sort/output/zstd_output.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMemoryOfThread = std::size_t{8} << 20;

}  // namespace

std::uint64_t memory_bytes(const SortOptions& options) {
  const std::uint64_t available = available_memory_bytes();
  return options.memory_bytes ? *options.memory_bytes
                              : std::min(options.buffer_bytes.value_or(available / 2), available);
}

std::vector<std::string> temp_directories(const SortOptions& options) {
  if (!options.temp_directories.empty()) return options.temp_directories;
  const char* const directory = std::getenv("TMPDIR");
  return {directory != nullptr && *directory != '\0' ? directory : "/tmp"};
}

std::size_t thread_count(const SortOptions& options) {
  const std::size_t processors = usable_threads(), wanted = options.threads == 0 ? processors : options.threads;
  const std::size_t most = std::max(memory_bytes(options), kLeastSortMemory) / kMemoryOfThread;
  return std::min({wanted, 4 * processors, most});
}

std::size_t most_descriptors(const SortOptions& options) { return free_descriptors(temp_directories(options).size()); }

std::size_t unpack_bytes(const PackedInputs& packed, std::size_t open) {
  return std::min(open, packed.count()) * packed.bytes_each();
}

std::size_t most_open_inputs(const SortOptions& options, const std::optional<PackedInputs>& packed) {
  std::size_t most = most_descriptors(options);
  if (packed && unpack_bytes(*packed, most) > memory_bytes(options) / 2) {
    most = memory_bytes(options) / 2 / packed->bytes_each();
  }
  return std::max<std::size_t>(most, 2);
}

std::size_t direct_buffer_bytes(const SortOptions& options) {
  return options.is_direct ? thread_count(options) * kDirectBufferBytes : 0;
}

std::size_t packing_memory(SortPacking packing) {
  if (packing == SortPacking::kNone) return 0;
  return packing == SortPacking::kZstd ? ZstdOutput::kMemoryBytes : GzipOutput::kMemoryBytes;
}

}  // namespace spillway
