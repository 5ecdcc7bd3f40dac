#include "search/top_k.hpp"

#include <algorithm>
#include <utility>

namespace spillway {

void TopK::offer(std::uint32_t document, double score) {
  if (score < threshold_) return;
  Entry entry{document, score, std::nullopt};
  if (heap_.size() == k_) {
    if (!is_better(entry, heap_.front())) return;
    std::pop_heap(heap_.begin(), heap_.end(), is_better_);
    heap_.pop_back();
  }
  heap_.push_back(std::move(entry));
  std::push_heap(heap_.begin(), heap_.end(), is_better_);
  if (heap_.size() == k_) threshold_ = heap_.front().score;
}

std::vector<RankedDocument> TopK::take() {
  std::sort_heap(heap_.begin(), heap_.end(), is_better_);
  std::vector<RankedDocument> result;
  result.reserve(heap_.size());
  for (const Entry& entry : heap_) result.push_back({entry.document, entry.score});
  heap_.clear();
  threshold_ = -1;
  return result;
}

const std::string& TopK::id_of(const Entry& entry) const {
  if (!entry.id) entry.id = index_.document_id(entry.document);
  return *entry.id;
}

bool TopK::is_better(const Entry& a, const Entry& b) const {
  if (a.score != b.score) return a.score > b.score;
  if (a.document == b.document) return false;
  const int order = id_of(a).compare(id_of(b));
  return order != 0 ? order > 0 : a.document < b.document;
}

}  // namespace spillway
