// The directory of the real corpora: $SPILLWAY_CORPORA, otherwise ../shared/corpora beside the checkout. Tests skip
// with a message if it is missing.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/places.hpp"

namespace spillway::testing {

inline std::optional<std::string> corpora_path() {
  const char* named = std::getenv("SPILLWAY_CORPORA");
  const std::string path = named != nullptr ? named : source_directory() + "/../shared/corpora";
  if (!std::filesystem::is_directory(path)) return std::nullopt;
  return path;
}

}  // namespace spillway::testing

// Use in a test: const auto corpora = SPILLWAY_CORPORA_OR_SKIP();
#define SPILLWAY_CORPORA_OR_SKIP()                                                                        \
  ({                                                                                                      \
    const auto found = spillway::testing::corpora_path();                                                 \
    if (!found) GTEST_SKIP() << "no real corpora: set SPILLWAY_CORPORA or put them at ../shared/corpora"; \
    *found;                                                                                               \
  })
