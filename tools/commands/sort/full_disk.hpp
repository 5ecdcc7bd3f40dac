// Messages of a sort whose output or scratch files could not be written: with what a full disk lacked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/file/file_system.hpp"
#include "io/file/placed_file.hpp"
#include "io/file/system_error.hpp"
#include "tools/commands/sort/options/options.hpp"
#include "tools/commands/sort/report.hpp"

namespace spillway {

// `output_bytes`: about what the output takes, if that is known and to be told.
std::string output_refusal(const PlacedFileError& error, std::optional<std::uint64_t> output_bytes);

std::string scratch_refusal(const DiskFullError& error, const SortOptions& options, const SortReport& report,
                            FileSystem& files);

}  // namespace spillway
