// The program `sweep`: makes every call, allocation and moment of small jobs fail, and checks what they leave. The
// script tools/sweep explains how to use it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "tests/sweep/workers.hpp"

namespace {

using spillway::sweep::all_scenarios;

struct Options {
  spillway::sweep::Sweep sweep{.points = 5000};
  std::vector<std::size_t> scenarios;
  bool is_replay = false, lists = false, prints_calls = false;
  std::uint64_t seed = 0;
};

void add_scenarios(Options& options, const std::string& prefix) {
  const auto all = all_scenarios();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name.starts_with(prefix)) options.scenarios.push_back(i);
  }
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--list") {
      options.lists = true;
      continue;
    }
    if (word == "--calls") {
      options.prints_calls = true;
      continue;
    }
    if (++i == argc) return false;
    const std::uint64_t number = std::strtoull(argv[i], nullptr, 10);
    if (word == "--points") {
      options.sweep.points = number;
    } else if (word == "--seed") {
      options.sweep.seed = number;
    } else if (word == "--jobs") {
      options.sweep.jobs = static_cast<unsigned>(number);
    } else if (word == "--findings") {
      options.sweep.most_findings = number;
    } else if (word == "--scenario") {
      add_scenarios(options, argv[i]);
      if (options.scenarios.empty()) return false;
    } else if (word == "--replay") {
      options.is_replay = true;
      options.seed = number;
    } else {
      return false;
    }
  }
  if (options.scenarios.empty()) add_scenarios(options, "");
  return true;
}

int report(const spillway::sweep::SweepResult& result) {
  std::printf("%llu points tried, %llu findings\n", static_cast<unsigned long long>(result.tried),
              static_cast<unsigned long long>(result.findings));
  return result.findings == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: sweep [--points N] [--seed S] [--jobs J] [--findings N] [--scenario PREFIX]... | --replay "
                 "SEED | --list\n");
    return 2;
  }
  if (options.lists) {
    for (const auto& scenario : all_scenarios()) std::printf("%s\n", scenario.name.c_str());
    return 0;
  }
  if (options.prints_calls) {
    for (const std::size_t scenario : options.scenarios) spillway::sweep::print_calls(scenario);
    return 0;
  }
  return report(options.is_replay ? spillway::sweep::replay(options.seed)
                                  : spillway::sweep::sweep(options.scenarios, options.sweep));
}
