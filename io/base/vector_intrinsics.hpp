// Includes <immintrin.h> without the false warnings of GCC 12, which takes the intentionally undefined operands inside
// the intrinsics for mistakes (GCC bug 105593).
#pragma once

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
