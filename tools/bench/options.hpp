// Options that the bench commands share, and the choice of sorters by name.
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
void add_bench_options(boost::program_options::options_description& group);         // rounds, seed, and those
void add_bench_gpu_options(boost::program_options::options_description& group);     // gpu, require-gpu

struct BenchOptions {
  unsigned rounds = 5;  // at least 5
  std::uint64_t seed = 1;
  std::uint64_t memory_bytes = 0;
  unsigned threads = 0;
  std::optional<int> gpu;  // the one to use; none: there is none, and nothing that was asked for needs one
  GpuStatus gpus;
};

// Reads --rounds, --seed, --memory, --threads, --gpu, --require-gpu, as far as they are there. needs_gpu: something
// that needs a GPU was asked for by name. GpuError (exit 6) where one is needed and there is none.
BenchOptions bench_options(const Arguments& arguments, FileSystem& files, bool needs_gpu);

// "a,b" to the items of `all` with these names, "all" or nothing to `fallback`; UsageError naming `option`.
std::vector<std::string> chosen_names(const Arguments& arguments, const char* option,
                                      const std::vector<std::string>& all, const std::vector<std::string>& fallback);

// Numbers separated by commas, each digits or 2^N, within [least, most].
std::vector<std::uint64_t> chosen_numbers(const Arguments& arguments, const char* option, std::uint64_t least,
                                          std::uint64_t most, const std::vector<std::uint64_t>& fallback);

}  // namespace spillway
