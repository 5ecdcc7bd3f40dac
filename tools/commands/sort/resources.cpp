#include "tools/commands/sort/resources.hpp"

#include <dirent.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>

#include "io/file/direct_file.hpp"
#include "io/memory/limits.hpp"
#include "sort/lines/resources.hpp"
#include "tools/commands/sort/output/gzip_output.hpp"
#include "tools/commands/sort/output/zstd_output.hpp"

namespace spillway {

namespace {

constexpr std::size_t kCollationMemory = std::size_t{4} << 20;  // ICU's data and tables of a locale
constexpr std::size_t kMemoryOfThread = std::size_t{8} << 20;
constexpr std::size_t kOtherDescriptors = 4;

// 0 where the system does not tell. (A directory_iterator ends the process where it gets no memory.)
std::size_t open_descriptors() {
  DIR* const directory = ::opendir("/proc/self/fd");
  if (directory == nullptr) return 0;
  std::size_t entries = 0;
  while (::readdir(directory) != nullptr) ++entries;
  ::closedir(directory);
  return entries - std::min<std::size_t>(entries, 3);  // ".", ".." and the directory's own descriptor
}

}  // namespace

std::uint64_t memory_bytes(const SortOptions& options) {
  const std::uint64_t available = available_memory_bytes();
  return options.memory_bytes ? *options.memory_bytes
                              : std::min(options.buffer_bytes.value_or(available / 2), available);
}

std::optional<PackedInputs> find_packed(const SortOptions& options, Session& session) {
  const bool is_default = options.unpacking == SortUnpacking::kDefault;
  const bool is_line_sort = !session.is_called_sort && options.order.format.has_ends();
  if (options.unpacking == SortUnpacking::kNever || (is_default && !is_line_sort)) return std::nullopt;
  return std::optional<PackedInputs>(std::in_place, session, options.inputs,
                                     SortMemory{memory_bytes(options), options.memory_bytes.has_value()});
}

std::size_t line_sort_memory(const SortOptions& options, const std::optional<PackedInputs>& packed,
                             std::size_t most_open) {
  std::size_t bytes = memory_bytes(options);
  const auto take = [&](std::size_t other) { bytes -= std::min(bytes, other); };
  if (packed) take(unpack_bytes(*packed, most_open));
  if (options.order.collation != nullptr) take(kCollationMemory);
  take(packing_memory(options.output_packing));
  take(direct_buffer_bytes(options));
  return bytes;
}

std::size_t memory_for_lines(const SortOptions& options, Session& session, std::size_t line_bytes,
                             const std::function<std::size_t(std::size_t threads, std::size_t memory)>& unsorted) {
  SortOptions larger = options;
  for (std::size_t memory = std::max(line_bytes, kLeastSortMemory);;) {
    larger.memory_bytes = memory;
    const std::optional<PackedInputs> packed = find_packed(larger, session);
    const std::size_t most_open = larger.merges ? most_open_inputs(larger, packed) : 1;
    const std::size_t all = std::max(line_sort_memory(larger, packed, most_open), kLeastSortMemory);
    const std::size_t left = all - std::min(all, unsorted(thread_count(larger), all));
    if (left >= line_bytes) return memory;
    memory += line_bytes - left;
  }
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

std::size_t most_descriptors(const SortOptions& options) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 2;
  const std::size_t taken = open_descriptors() + temp_directories(options).size() + kOtherDescriptors;
  return limit.rlim_cur > taken + 2 ? limit.rlim_cur - taken : 2;
}

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

std::size_t direct_readers(const SortOptions& options) {
  constexpr std::size_t kLeast = 4, kMost = 16;  // more do not make a disk faster
  return std::clamp(thread_count(options), kLeast, kMost);
}

std::size_t direct_buffer_bytes(const SortOptions& options) {
  const std::size_t threads = std::max(thread_count(options), direct_readers(options));
  return options.is_direct ? threads * kDirectBufferBytes + DirectWriter::kPagesBytes : 0;
}

std::size_t packing_memory(SortPacking packing) {
  if (packing == SortPacking::kNone) return 0;
  return packing == SortPacking::kZstd ? ZstdOutput::kMemoryBytes : GzipOutput::kMemoryBytes;
}

}  // namespace spillway
