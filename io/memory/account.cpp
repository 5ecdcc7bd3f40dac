#include "io/memory/account.hpp"

#include <algorithm>

namespace spillway {

std::uint32_t MemoryAccount::number_of(std::string_view consumer) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find(names_.begin(), names_.end(), consumer);
  if (found != names_.end()) return static_cast<std::uint32_t>(found - names_.begin()) + 1;
  if (names_.size() == kMostConsumers) return kMostConsumers + 1;
  names_.emplace_back(consumer);
  return static_cast<std::uint32_t>(names_.size());
}

std::vector<std::pair<std::string, std::size_t>> MemoryAccount::consumers() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, std::size_t>> all;
  for (std::size_t i = 0; i < names_.size(); ++i) all.emplace_back(names_[i], bytes_[i + 1].load());
  if (const std::size_t others = bytes_[kMostConsumers + 1].load(); others != 0) all.emplace_back("others", others);
  return all;
}

}  // namespace spillway
