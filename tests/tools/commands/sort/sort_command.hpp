// Runs `spillway sort` on small files.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMeasuresMemory = false;  // sanitizers take memory of their own
#else
inline constexpr bool kMeasuresMemory = true;
#endif

class SortCommandTest : public ::testing::Test {
 protected:
  using Words = std::vector<std::string>;
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_ / name, std::ios::binary) << text;
    return scratch_ / name;
  }
  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  // Scratch files go to scratch_.
  ProgramResult sort(Words words, const std::string& input = "") const {
    words.insert(words.begin(), {"sort", "-T", scratch_.path()});
    return run_spillway(words, {.input = input});
  }
  ScratchDirectory scratch_;
};

// The first lines of a text.
inline std::string first_lines(const std::string& text, std::size_t count, char line_end = '\n') {
  std::size_t end = 0;
  for (; count != 0 && end < text.size(); --count) end = text.find(line_end, end) + 1;
  return text.substr(0, end);
}

}  // namespace spillway::testing
