// The options of `spillway index`: their table, and from parsed arguments to IndexOptions. Everything that can be
// refused without looking at the input is refused here.
#pragma once

#include <boost/program_options.hpp>
#include <vector>

#include "indexer/options/index_options.hpp"
#include "tools/cli/command.hpp"

namespace spillway {

std::vector<boost::program_options::options_description> index_option_groups();

// --max-error-rate and --strict.
boost::program_options::options_description bad_input_option_group();

// Those of them that `spillway plan` takes, and its own report.
std::vector<boost::program_options::options_description> plan_option_groups();
IndexOptions plan_options(const Arguments& arguments, FileSystem& files);

// Throws UsageError naming the option and the remedy. Reads the stop list's file.
IndexOptions index_options(const Arguments& arguments, FileSystem& files);

// The words of --stop english, one per line (those of Lucene's and of the reference evaluation).
std::string_view english_stop_words();

}  // namespace spillway
