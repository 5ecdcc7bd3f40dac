#include "merge/index/ordered_lists.hpp"

#include <utility>

namespace spillway {

namespace {

constexpr std::size_t kMostUsed = 256;  // written batches

}  // namespace

OrderedLists::OrderedLists(IndexWriter& writer, std::size_t range_count, std::size_t limit_bytes,
                           std::size_t most_used_bytes)
    : OrderedRanges([this](CountedBatch&& batch) { write(std::move(batch)); }, range_count, limit_bytes),
      writer_(writer),
      used_(std::make_shared<Used>()) {
  used_->most_bytes = most_used_bytes;
  if (most_used_bytes != 0) used_->batches.reserve(kMostUsed);
}

void OrderedLists::write(CountedBatch&& batch) {
  const auto keep = [used = used_](CountedBatch* written) {
    const std::unique_ptr<CountedBatch> deleted(written);
    const std::size_t bytes = written->lists.held_bytes();
    const std::scoped_lock lock(used->mutex);
    if (used->bytes + bytes > used->most_bytes || used->batches.size() == used->batches.capacity()) return;
    used->bytes += bytes;
    used->batches.push_back(std::move(written->lists));
  };
  const std::shared_ptr<CountedBatch> owner(new CountedBatch(std::move(batch)), keep);
  writer_.append_lists(owner->lists, owner);
}

ListBatch OrderedLists::take_used(std::size_t most_bytes) {
  const std::scoped_lock lock(used_->mutex);
  auto largest = used_->batches.end();
  std::size_t bytes = 0;
  for (auto batch = used_->batches.begin(); batch != used_->batches.end(); ++batch) {
    const std::size_t held = batch->held_bytes();
    if (held < bytes || held > most_bytes) continue;
    largest = batch;
    bytes = held;
  }
  if (largest == used_->batches.end()) return {};
  std::swap(*largest, used_->batches.back());
  ListBatch batch = std::move(used_->batches.back());
  used_->batches.pop_back();
  used_->bytes -= bytes;
  return batch;
}

void OrderedLists::drop_used() {
  std::vector<ListBatch> dropped;
  const std::scoped_lock lock(used_->mutex);
  dropped.swap(used_->batches);
  used_->bytes = used_->most_bytes = 0;
}

void OrderedLists::put(std::size_t range, ListBatch batch, Reservation memory) {
  const std::size_t bytes = batch.held_bytes();
  OrderedRanges::put(range, {std::move(batch), std::move(memory)}, bytes);
}

}  // namespace spillway
