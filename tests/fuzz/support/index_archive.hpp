// An index as one sequence of bytes, from which the files are made with checksums that match: what the target of
// indexes mutates.
//
//   {u24 bytes, bytes} for the manifest from its counts to its last content option or sum, then for the data of each
//   section; a length beyond the end means all bytes that are left.
#pragma once

#include <string>
#include <string_view>

#include "io/index/reader.hpp"
#include "tests/support/faulty_file_system.hpp"

namespace spillway::fuzz {

std::string archive_of(const std::string& directory);

// Writes the files of an index to the directory /job/index.
void put_index(testing::FaultyFileSystem& files, std::string_view archive);

// Puts the sums of what the index holds into its manifest, so that only its other faults are left. Throws FormatError
// where a list cannot be read.
void heal_sums(testing::FaultyFileSystem& files);

}  // namespace spillway::fuzz
