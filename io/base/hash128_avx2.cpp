#include "io/base/hash128_avx2.hpp"

#include <immintrin.h>

#include <cstdlib>
#include <cstring>

// xxhash.h would choose SSE2, because this file, as all others, is compiled for any processor of its kind.
#define XXH_VECTOR 2  // XXH_AVX2
#define XXH_INLINE_ALL
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#include <xxhash.h>

namespace spillway {

static_assert(XXH_VECTOR == XXH_AVX2);

void update_hash128_avx2(void* state, std::span<const std::uint8_t> bytes) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state), bytes.data(), bytes.size());
}

}  // namespace spillway

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
