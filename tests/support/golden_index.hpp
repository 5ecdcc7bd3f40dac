// The index whose bytes are kept in tests/io/golden: every feature of the format in few bytes.
#pragma once

#include <string>

#include "tests/support/sample_index.hpp"

namespace spillway::testing {

// Has lists of 1, 2, 127, 128, 129 and 300 postings, with and without repeated terms, positions, stored text, all
// fields, documents without fields, ids with shared prefixes, dropped documents, and a term table of several leaves.
SampleIndex golden_sample();

}  // namespace spillway::testing
