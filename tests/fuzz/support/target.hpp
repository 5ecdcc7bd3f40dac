// What every fuzz target includes: its entry point, and the input as options and text. A target checks with the macros
// of GoogleTest. A check that fails throws, which ends the program; libFuzzer then keeps the input.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

// Called by libFuzzer, or by replay/main.cpp, for one input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Called before the first input by both. An initialiser would be too early: GoogleTest then sets the flag to its
// default.
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  GTEST_FLAG_SET(throw_on_failure, true);
  return 0;
}

namespace spillway::fuzz {

// An input whose first byte chooses options; 0 if the input is empty.
struct Input {
  Input(const std::uint8_t* data, std::size_t size)
      : options(size == 0 ? std::uint8_t{0} : data[0]),
        text(size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1)) {}
  std::uint8_t options;
  std::string_view text;
};

}  // namespace spillway::fuzz
