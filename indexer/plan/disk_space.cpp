#include "indexer/plan/disk_space.hpp"

#include <algorithm>

#include "io/base/error.hpp"

namespace spillway {

void check_free_space(FileSystem& files, const std::string& path, const DiskNeed& need,
                      const std::function<void(const std::string&)>& warn) {
  const std::string resolved = files.resolve(path);
  const auto status = files.status(resolved);
  const std::size_t slash = resolved.rfind('/');
  const std::string parent = slash == 0 || slash == std::string::npos ? "/" : resolved.substr(0, slash);
  const std::string directory = status && status->type == FileType::kDirectory ? resolved : parent;
  const std::uint64_t free = files.free_bytes(directory);
  if (free >= std::max(need.least_bytes, need.probable_bytes)) return;
  const bool is_certain = free < need.least_bytes;
  const std::string words =
      need.what + (is_certain ? " needs at least " : " may need ") +
      std::to_string(is_certain ? need.least_bytes : need.probable_bytes) + " bytes, and the disk of " +
      printable(directory, 4096) + " has " + std::to_string(free) +
      " free: make room there, or choose another directory (-o for the index, --temp-dir for runs)";
  if (is_certain) throw BudgetError(words);
  warn(words);
}

}  // namespace spillway
