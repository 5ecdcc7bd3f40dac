// <immintrin.h>, without the warnings that GCC 12 gives where its intrinsics are used: it takes the undefined operands
// inside of them for a mistake (GCC bug 105593).
#pragma once

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
