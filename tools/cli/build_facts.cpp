#include "tools/cli/build_facts.hpp"

#include SPILLWAY_COMMIT_HEADER

namespace spillway {

namespace {

#if defined(__clang__)
constexpr const char* kCompiler = "Clang " __clang_version__;
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

}  // namespace

const BuildFacts& build_facts() {
  static constexpr BuildFacts kFacts{kVersion, SPILLWAY_COMMIT, SPILLWAY_DATE, kCompiler, SPILLWAY_BUILD_FLAGS};
  return kFacts;
}

}  // namespace spillway
