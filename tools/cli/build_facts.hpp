// The version of the program, and how it was built. Every measurement names these facts.
#pragma once

namespace spillway {

inline constexpr const char* kVersion = SPILLWAY_VERSION;  // from CMakeLists.txt

struct BuildFacts {
  const char* version;
  const char* commit;    // of the source tree; "... with changes" if it had any; "unknown" outside git
  const char* date;      // of the commit, as 2012-05-22; SOURCE_DATE_EPOCH sets another
  const char* compiler;  // with its version
  const char* flags;     // compiler flags
};
const BuildFacts& build_facts();

}  // namespace spillway
