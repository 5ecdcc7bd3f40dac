// The version of the program, from CMakeLists.txt.
#pragma once

namespace spillway {

inline constexpr const char* kVersion = SPILLWAY_VERSION;

}  // namespace spillway
