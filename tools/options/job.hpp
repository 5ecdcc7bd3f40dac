// Options shared by the commands that make an index: output, resources, report.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "indexer/options/index_options.hpp"
#include "io/base/error.hpp"
#include "tools/cli/command.hpp"

namespace spillway {

void add_output_options(boost::program_options::options_description& group);
// --resumable and --restart. `output`: what the help calls the index.
void add_resume_options(boost::program_options::options_description& group, const std::string& output);
void add_restart_option(boost::program_options::options_description& group, const std::string& output);
void add_resource_options(boost::program_options::options_description& group);  // memory and threads
void add_scratch_options(boost::program_options::options_description& group);
void add_report_options(boost::program_options::options_description& group);

struct JobResources {
  std::uint64_t memory_bytes = 0;  // 0: half of what is available
  unsigned threads = 0;            // 0: one per usable processor
  std::vector<std::string> temp_directories;
  std::uint64_t temp_limit_bytes = 0;  // 0: none
};

// Throws UsageError naming the option.
std::string output_option(const Arguments& arguments);
JobResources job_resources(const Arguments& arguments, FileSystem& files);

ResumeOptions resume_options(const Arguments& arguments);

// Throws UsageError if both were given.
void refuse_both(const Arguments& arguments, const char* one, const char* other);

// The exit code for an error.
ExitCode exit_code_of(const std::exception& error);

}  // namespace spillway
