// `sort -c` and `-C`: whether an input is sorted.
#pragma once

#include <functional>
#include <string>

#include "sort/lines/block/input.hpp"
#include "tools/commands/sort/options.hpp"

namespace spillway {

// Reads an input to its end, or to the first line that is not in order: then calls `report` with the number of that
// line, from 1, and the line, and returns false. Memory: the longest two lines and 1 MiB.
// `opener`: for an input that is not read as it stands in its file.
bool is_sorted(const std::string& path, const LineOrder& order, const InputOpener& opener, Session& session,
               const std::function<void(std::uint64_t, std::string_view)>& report);

}  // namespace spillway
