// How this program was built: what every measurement names.
#pragma once

namespace spillway {

struct BuildFacts {
  const char* version;
  const char* commit;    // of the source tree; "... with changes" where that had any; "unknown" outside of git
  const char* compiler;  // with its version
  const char* flags;     // of the compiler
};
const BuildFacts& build_facts();

}  // namespace spillway
