// The version of the program, as CMakeLists.txt states it.
#pragma once

namespace spillway {

inline constexpr const char* kVersion = SPILLWAY_VERSION;

}  // namespace spillway
