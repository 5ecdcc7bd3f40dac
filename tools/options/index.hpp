// The options of `spillway index`: their table, and the conversion of parsed arguments to IndexOptions. Refuses
// whatever is wrong without reading the input.
#pragma once

#include <boost/program_options.hpp>
#include <functional>
#include <vector>

#include "indexer/options/index_options.hpp"
#include "tools/cli/command.hpp"

namespace spillway {

std::vector<boost::program_options::options_description> index_option_groups();
// The groups that `index`, `plan` and `append` share: input, what the index holds, resources.
std::vector<boost::program_options::options_description> planned_option_groups();

// How text becomes terms, and --duplicate-ids; for every command that makes an index of what is not one.
void add_analysis_options(boost::program_options::options_description& group);
void add_duplicate_ids_option(boost::program_options::options_description& group);
// Their values; what is not given is as in `defaults`. Throws as index_options.
ContentOptions analysis_options(const Arguments& arguments, FileSystem& files, const std::function<void()>& wait_check,
                                const ContentOptions& defaults = {});

// --max-error-rate and --strict.
boost::program_options::options_description bad_input_option_group();
// Their values, where they are given. Throws UsageError if both are, or the rate is none.
void take_error_limits(const Arguments& arguments, double& max_error_rate, bool& strict);

// The options of `spillway plan`: those that change the plan, and --json.
std::vector<boost::program_options::options_description> plan_option_groups();
// Content options that are not given are as in `defaults`.
IndexOptions plan_options(const Arguments& arguments, FileSystem& files, const std::function<void()>& wait_check = {},
                          const ContentOptions& defaults = {});

// Throws UsageError naming the option and the remedy. Reads the file of a stop list, with `wait_check` as in
// ByteStream.
IndexOptions index_options(const Arguments& arguments, FileSystem& files, const std::function<void()>& wait_check = {});

// The 33 words of --stop english, one per line: Lucene's list, which the reference evaluation uses too.
std::string_view english_stop_words();

}  // namespace spillway
