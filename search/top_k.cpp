#include "search/top_k.hpp"

#include <algorithm>
#include <utility>

namespace spillway {

void TopK::offer(const RankedDocument& ranked) {
  if (ranked.score < threshold_) return;
  Entry entry{ranked, std::nullopt};
  if (heap_.size() == k_) {
    if (!is_better(entry, heap_.front())) return;
    std::pop_heap(heap_.begin(), heap_.end(), is_better_);
    heap_.pop_back();
  }
  heap_.push_back(std::move(entry));
  std::push_heap(heap_.begin(), heap_.end(), is_better_);
  if (heap_.size() == k_) threshold_ = heap_.front().ranked.score;
}

std::vector<RankedDocument> TopK::take() {
  std::sort_heap(heap_.begin(), heap_.end(), is_better_);
  std::vector<RankedDocument> result;
  result.reserve(heap_.size());
  for (const Entry& entry : heap_) result.push_back(entry.ranked);
  heap_.clear();
  threshold_ = -1;
  return result;
}

const std::string& TopK::id_of(const Entry& entry) const {
  if (!entry.id) entry.id = collection_.shard_of(entry.ranked).document_id(entry.ranked.document);
  return *entry.id;
}

bool TopK::is_better(const Entry& a, const Entry& b) const {
  if (a.ranked.score != b.ranked.score) return a.ranked.score > b.ranked.score;
  const auto place = [](const Entry& entry) { return std::pair(entry.ranked.shard, entry.ranked.document); };
  if (place(a) == place(b)) return false;
  const int order = id_of(a).compare(id_of(b));
  return order != 0 ? order > 0 : place(a) < place(b);
}

}  // namespace spillway
