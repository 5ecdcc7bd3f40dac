// The body of main() of every benchmark program.
#pragma once

#include <benchmark/benchmark.h>

namespace spillway {

inline int run_benchmarks(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace spillway
