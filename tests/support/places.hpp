// Where tests find the checkout and the programs of the build.
#pragma once

#include <string>

namespace spillway::testing {

std::string source_directory();     // the root of the checkout
std::string program_path();         // the program under test
std::string signal_at_call_path();  // the library that the program under test preloads

}  // namespace spillway::testing
