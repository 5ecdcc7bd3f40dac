// The options of `spillway append`: those of `index`, except that the index itself says how documents are analysed and
// what is stored.
#pragma once

#include <boost/program_options.hpp>
#include <functional>
#include <vector>

#include "indexer/options/index_options.hpp"
#include "tools/cli/command.hpp"

namespace spillway {

std::vector<boost::program_options::options_description> append_option_groups();

// The first operand is the index, the others are the input. Opens the index; if a killed job left it moved aside, puts
// it back first. Throws UsageError, which names options that are given and differ from those of the index; FormatError
// for a damaged index; otherwise as index_options().
IndexOptions append_options(const Arguments& arguments, FileSystem& files,
                            const std::function<void()>& wait_check = {});

}  // namespace spillway
