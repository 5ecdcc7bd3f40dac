// Options shared by the commands that generate a corpus: output, seed, threads.
#pragma once

#include <boost/program_options.hpp>
#include <functional>
#include <string_view>

#include "tools/cli/command.hpp"

namespace spillway {

void add_generated_output_options(boost::program_options::options_description& group);
void add_generating_threads_option(boost::program_options::options_description& group);

// The value of --threads, or the number of processors.
unsigned generating_threads(const Arguments& arguments);

// Calls make(write), where write(bytes) appends to --output, and finishes the output. A signal ends the work between
// two writes.
void write_generated(const Arguments& arguments, Session& session,
                     const std::function<void(const std::function<void(std::string_view)>&)>& make);

}  // namespace spillway
