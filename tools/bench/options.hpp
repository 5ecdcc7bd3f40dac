// Options shared by the bench commands, and lists of names and numbers.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sort/gpu/device/status.hpp"
#include "tools/cli/command.hpp"

namespace spillway {

void add_bench_report_options(boost::program_options::options_description& group);  // json, force
void add_bench_options(boost::program_options::options_description& group);         // rounds, seed, json, force
void add_bench_gpu_options(boost::program_options::options_description& group);     // gpu, require-gpu

struct BenchOptions {
  unsigned rounds = 5;  // at least 5
  std::uint64_t seed = 1;
  std::uint64_t memory_bytes = 0;
  unsigned threads = 0;
  std::optional<int> gpu;  // the GPU to use; none if there is none and none is needed
  GpuStatus gpus;
};

// Reads --rounds, --seed, --memory, --threads, --gpu and --require-gpu. `needs_gpu`: something that needs a GPU was
// named. Throws GpuError (exit code 6) if a GPU is needed and none is usable.
BenchOptions bench_options(const Arguments& arguments, FileSystem& files, bool needs_gpu);

// The names of a list "a,b", which must be among `all`; `all` for "all", `fallback` without the option. Throws
// UsageError naming the option.
std::vector<std::string> chosen_names(const Arguments& arguments, const char* option,
                                      const std::vector<std::string>& all, const std::vector<std::string>& fallback);

// The numbers of a list, each digits or 2^N, in [least, most].
std::vector<std::uint64_t> chosen_numbers(const Arguments& arguments, const char* option, std::uint64_t least,
                                          std::uint64_t most, const std::vector<std::uint64_t>& fallback);

}  // namespace spillway
