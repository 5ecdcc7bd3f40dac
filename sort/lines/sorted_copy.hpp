// Copies an input that is in order already: threads read parts of the file, compare neighbouring lines, and write what
// they read to its place, so that text passes the processor's cache once and no line is kept in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "io/file/file_system.hpp"
#include "sort/lines/block/output.hpp"
#include "sort/lines/keys/order.hpp"

namespace spillway {

// Whether copy_if_sorted() can tell whether lines are in this order: lines with ends that are compared as a whole.
bool is_copied_if_sorted(const LineOrder& order);

// Copies the file, and the line end that it may lack, if its lines are in order, and returns their number. Otherwise
// something may have been written, at most as much as the sorted lines take, and all is to be written anew; likewise if
// the file has grown. If the order is unique, the file is read twice. A few lines, read from all over the file, refuse
// most files that are not in order before anything is written. Parallel inside the calling thread's TBB arena; memory:
// 600 KiB for each thread. `check` is called by several threads at once; it may throw. Throws IoError, also if the file
// is written to meanwhile, and FormatError if it is truncated. Requires: is_copied_if_sorted(order); the output has
// places.
std::optional<std::uint64_t> copy_if_sorted(const ReadableFile& file, const LineOrder& order,
                                            const std::function<void()>& check, LineOutput& output);

}  // namespace spillway
