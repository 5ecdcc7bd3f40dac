#include "tests/support/places.hpp"

namespace spillway::testing {

std::string source_directory() { return SPILLWAY_SOURCE_DIR; }

std::string program_path() { return SPILLWAY_BINARY; }

std::string signal_at_call_path() { return SPILLWAY_SIGNAL_AT_CALL; }

}  // namespace spillway::testing
