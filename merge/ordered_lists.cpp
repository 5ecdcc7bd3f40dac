#include "merge/ordered_lists.hpp"

#include <utility>

namespace spillway {

OrderedLists::OrderedLists(IndexWriter& writer, std::size_t range_count, std::size_t limit_bytes, std::size_t most_used)
    : writer_(writer),
      most_used_(most_used),
      ranges_([this](ListBatch&& batch) { write(std::move(batch)); }, range_count, limit_bytes) {}

void OrderedLists::write(ListBatch&& batch) {
  writer_.append_lists(batch);
  const std::scoped_lock lock(used_mutex_);
  if (used_.size() < most_used_) used_.push_back(std::move(batch));
}

ListBatch OrderedLists::take_used() {
  const std::scoped_lock lock(used_mutex_);
  if (used_.empty()) return {};
  ListBatch batch = std::move(used_.back());
  used_.pop_back();
  return batch;
}

void OrderedLists::put(std::size_t range, ListBatch batch) {
  const std::size_t bytes = batch.bytes();
  ranges_.put(range, std::move(batch), bytes);
}

}  // namespace spillway
