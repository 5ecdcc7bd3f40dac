// What the program itself takes of a job's budget.
#pragma once

#include <cstddef>

namespace spillway {

// Returns the bytes that a job charges to its budget for the program as it is at the start: resident_bytes(). A program
// with a sanitizer charges 24 MiB, so that it plans as others do: its shadow memory does not count.
std::size_t program_bytes();

// A job in a process that does other things too charges this instead: pages of code and of ICU's data that the first
// job loads. Its budget is then beyond what the process has.
inline constexpr std::size_t kLibraryProgramBytes = std::size_t{12} << 20;

}  // namespace spillway
