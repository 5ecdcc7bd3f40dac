#include "indexer/disk_space.hpp"

#include "io/error.hpp"

namespace spillway {

void check_free_space(FileSystem& files, const std::string& path, std::uint64_t needed_bytes, const std::string& what) {
  const std::string resolved = files.resolve(path);
  const auto status = files.status(resolved);
  const std::size_t slash = resolved.rfind('/');
  const std::string parent = slash == 0 || slash == std::string::npos ? "/" : resolved.substr(0, slash);
  const std::string directory = status && status->type == FileType::kDirectory ? resolved : parent;
  const std::uint64_t free = files.free_bytes(directory);
  if (free >= needed_bytes) return;
  throw BudgetError(what + " needs about " + std::to_string(needed_bytes) + " bytes, and the disk of " +
                    printable(directory, 4096) + " has " + std::to_string(free) +
                    " free: make room there, or choose another directory (-o for the index, --temp-dir for runs)");
}

}  // namespace spillway
