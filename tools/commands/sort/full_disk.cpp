#include "tools/commands/sort/full_disk.hpp"

#include <cerrno>
#include <cstring>
#include <vector>

#include "tools/commands/sort/options/message.hpp"
#include "tools/commands/sort/resources.hpp"

namespace spillway {

namespace {

// Whether a file cannot grow because of its disk, a quota or a limit.
bool is_full(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

}  // namespace

std::string output_refusal(const PlacedFileError& error, std::optional<std::uint64_t> output_bytes) {
  const std::string text = error.action + " failed: " + quoted_name(error.path) + ": " + std::strerror(error.number);
  if (!output_bytes || !is_full(error.number)) return text;
  return text + "; the output takes about " + std::to_string(*output_bytes) +
         " bytes: free space, raise the limit, or name a file on another file system";
}

std::string scratch_refusal(const DiskFullError& error, const SortOptions& options, const SortReport& report,
                            FileSystem& files) {
  std::string text =
      error.what() + ("; scratch files have taken " + std::to_string(report.scratch_bytes()) + " bytes so far");
  if (const auto input = report.expected_input_bytes()) {
    text += ", all lines take at most about " + std::to_string(*input) + " (the size of the input) in each pass";
  }
  std::vector<std::string> directories = temp_directories(options);
  if (options.is_resumable) directories = {parent_directory(files.resolve(*options.output))};
  // Those without a name have gone.
  const char* const free = options.is_resumable ? " free beside them" : " free without them";
  for (const std::string& directory : directories) {
    try {
      text += ", and " + quoted_name(directory) + " has " + std::to_string(files.free_bytes(directory)) + free;
    } catch (const IoError&) {  // NOLINT(bugprone-empty-catch): the first error is the one to report
    }
  }
  return text + (options.is_resumable ? "" : "; -T names another directory");
}

}  // namespace spillway
