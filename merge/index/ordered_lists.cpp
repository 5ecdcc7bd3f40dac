#include "merge/index/ordered_lists.hpp"

#include <utility>

namespace spillway {

namespace {

constexpr std::size_t kMostUsed = 256;  // written batches

}  // namespace

OrderedLists::OrderedLists(IndexWriter& writer, std::size_t range_count, std::size_t limit_bytes,
                           std::size_t most_used_bytes)
    : OrderedRanges([this](ListBatch&& batch) { write(std::move(batch)); }, range_count, limit_bytes),
      writer_(writer),
      most_used_bytes_(most_used_bytes),
      used_(std::make_shared<Used>()) {
  if (most_used_bytes_ != 0) used_->batches.reserve(kMostUsed);
}

void OrderedLists::write(ListBatch&& batch) {
  const auto keep = [used = used_, most = most_used_bytes_](ListBatch* written) {
    const std::unique_ptr<ListBatch> deleted(written);
    const std::size_t bytes = written->held_bytes();
    const std::scoped_lock lock(used->mutex);
    if (used->bytes + bytes > most || used->batches.size() == used->batches.capacity()) return;
    used->bytes += bytes;
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
  used_->bytes -= batch.held_bytes();
  return batch;
}

void OrderedLists::put(std::size_t range, ListBatch batch) {
  const std::size_t bytes = batch.held_bytes();
  OrderedRanges::put(range, std::move(batch), bytes);
}

}  // namespace spillway
