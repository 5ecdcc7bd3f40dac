#include "merge/index/ordered_lists.hpp"

#include <utility>

namespace spillway {

namespace {

// Of a batch that is used again: those of the largest lists would keep memory that no thread needs again.
constexpr std::size_t kMostUsedBytes = std::size_t{32} << 20;

}  // namespace

OrderedLists::OrderedLists(IndexWriter& writer, std::size_t range_count, std::size_t limit_bytes, std::size_t most_used)
    : OrderedRanges([this](ListBatch&& batch) { write(std::move(batch)); }, range_count, limit_bytes),
      writer_(writer),
      most_used_(most_used),
      used_(std::make_shared<Used>()) {
  used_->batches.reserve(most_used_);
}

void OrderedLists::write(ListBatch&& batch) {
  const auto keep = [used = used_, most = most_used_](ListBatch* written) {
    const std::unique_ptr<ListBatch> deleted(written);
    const std::scoped_lock lock(used->mutex);
    if (used->batches.size() < most && written->held_bytes() <= kMostUsedBytes)
      used->batches.push_back(std::move(*written));
  };
  const std::shared_ptr<ListBatch> owner(new ListBatch(std::move(batch)), keep);
  writer_.append_lists(*owner, owner);
}

ListBatch OrderedLists::take_used() {
  const std::scoped_lock lock(used_->mutex);
  if (used_->batches.empty()) return {};
  ListBatch batch = std::move(used_->batches.back());
  used_->batches.pop_back();
  return batch;
}

void OrderedLists::put(std::size_t range, ListBatch batch) {
  const std::size_t bytes = batch.held_bytes();
  OrderedRanges::put(range, std::move(batch), bytes);
}

}  // namespace spillway
