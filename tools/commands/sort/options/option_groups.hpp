// The options of `spillway sort`, for its help, and for what reads the command line.
#pragma once

#include <boost/program_options.hpp>
#include <vector>

namespace spillway {

std::vector<boost::program_options::options_description> sort_option_groups();

}  // namespace spillway
