#include "indexer/job/duplicates/replaced_urls.hpp"

#include <algorithm>

namespace spillway {

void ReplacedUrls::take(std::uint32_t first, std::uint32_t number) {
  if (!any_ || first != first_) {
    any_ = true;
    first_ = first;
    known_.clear();
    if (first < known_count_) add(first);
  }
  if (number < known_count_) return add(number);
  for (const std::uint32_t known : known_) drop_(known);
  known_.clear();
}

void ReplacedUrls::add(std::uint32_t number) {
  if (known_.size() == known_.capacity()) {
    const std::size_t wanted = std::max<std::size_t>(16, 2 * known_.capacity());
    Reservation grown = budget_.reserve(wanted * sizeof number, "documents with the same URL");
    known_.reserve(wanted);
    memory_ = std::move(grown);
  }
  known_.push_back(number);
}

}  // namespace spillway
