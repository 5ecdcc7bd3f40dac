#include "sort/lines/resources.hpp"

#include <tbb/task_arena.h>

#include <algorithm>
#include <string>

#include "sort/lines/runs/run_writer.hpp"

namespace spillway {

namespace {

constexpr std::size_t kProgramBytes = std::size_t{14} << 20;  // the program, its libraries and stacks
constexpr std::size_t kLeastBlockBytes = std::size_t{32} << 10, kMostBlockBytes = std::size_t{256} << 10;
constexpr std::size_t kMebibyte = std::size_t{1} << 20;

}  // namespace

std::size_t unsorted_memory(std::size_t memory_bytes) {
  return unsorted_memory(static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()), memory_bytes);
}

std::size_t unsorted_memory(std::size_t threads, std::size_t memory_bytes) {
  return kProgramBytes + encoding_memory(threads, memory_bytes);
}

std::size_t unsorted_memory_of_reader() { return kProgramBytes; }

void refuse_long_line(const LineTooLongError& error, const std::optional<LinePlace>& longest,
                      const LineSortOptions& options) {
  const std::size_t needed = error.needed_bytes();
  const std::size_t memory =
      options.memory_for_lines ? options.memory_for_lines(needed) : unsorted_memory(options.memory_bytes) + needed;
  std::string place;
  if (longest && longest->bytes == error.line_bytes()) {
    const std::string input = longest->input == "-" ? "standard input" : printable(longest->input, 4096);
    place = input + ": byte " + std::to_string(longest->begin) + ": ";
  }
  throw BudgetError(place + error.what() + ", which makes copies of it: give --memory at least " +
                    std::to_string((memory + kMebibyte - 1) / kMebibyte) + "M");
}

MergeResources merge_resources(const LineSortOptions& options) {
  const std::size_t memory = std::max(options.memory_bytes, kLeastSortMemory);
  MergeResources resources;
  resources.memory_bytes = memory - kProgramBytes;
  resources.block_bytes = options.block_bytes != 0 ? std::max<std::size_t>(options.block_bytes / 64, 256)
                                                   : std::clamp(memory / 512, kLeastBlockBytes, kMostBlockBytes);
  resources.range_bytes = options.block_bytes != 0 ? 8 * resources.block_bytes : 0;
  resources.most_runs = options.most_runs;
  resources.check = options.check;
  resources.output = options.output;
  return resources;
}

}  // namespace spillway
