#include "io/memory/program_bytes.hpp"

#include "io/memory/budget.hpp"

namespace spillway {

std::size_t program_bytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return std::size_t{24} << 20;
#else
  return resident_bytes();
#endif
}

}  // namespace spillway
