// The index whose bytes are kept in tests/io/golden: every feature of the format, in as few bytes as that takes.
#pragma once

#include <string>

#include "tests/support/sample_index.hpp"

namespace spillway::testing {

// Lists of 1, 2, 127, 128, 129 and 300 postings, with and without repeated terms, positions, stored text, all fields,
// documents without any, ids with shared prefixes, dropped documents, and a term table of several leaves.
SampleIndex golden_sample();

}  // namespace spillway::testing
