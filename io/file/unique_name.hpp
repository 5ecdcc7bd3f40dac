// Names of temporary files that nothing else has or can predict.
#pragma once

#include <string>

namespace spillway {

// `stem`, a dot and 16 random hexadecimal digits. A stem that would make a name of more than 255 bytes loses its last
// characters. Thread-safe.
std::string unique_name(const std::string& stem);

}  // namespace spillway
