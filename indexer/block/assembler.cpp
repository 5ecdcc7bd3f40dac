#include "indexer/block/assembler.hpp"

#include <utility>

namespace spillway {

BlockAssembler::BlockAssembler(const AssemblerLimits& limits, std::function<std::size_t(const ParsedChunk&)> cost,
                               Seal seal)
    : limits_(limits), cost_(std::move(cost)), seal_(std::move(seal)) {}

void BlockAssembler::deliver(std::uint64_t task, ParsedChunk&& chunk) {
  const std::size_t bytes = chunk.memory.page_bytes(), cost_bytes = cost_(chunk);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    if (abandoned_) return true;
    if (draining_ && (task == head_ || !limits_.overlap)) return false;
    return task == head_ || held_bytes_ + bytes <= limits_.hold_bytes;
  });
  if (abandoned_) return;
  held_bytes_ += bytes;
  tasks_[task].chunks.push_back({std::move(chunk), cost_bytes});
  drain(lock);
}

void BlockAssembler::finish_task(std::uint64_t task) {
  std::unique_lock lock(mutex_);
  tasks_[task].finished = true;
  drain(lock);
}

// Moves the next chunks in input order into the block. One thread drains at a time; the others leave their chunks to
// it.
void BlockAssembler::drain(std::unique_lock<std::mutex>& lock) {
  if (draining_) return;
  draining_ = true;
  while (!abandoned_) {
    const auto found = tasks_.find(head_);
    if (found == tasks_.end()) break;
    Task& task = found->second;
    if (task.chunks.empty()) {
      if (!task.finished) break;
      tasks_.erase(found);
      ++head_;
      continue;
    }
    Chunk chunk = std::move(task.chunks.front());
    task.chunks.pop_front();
    held_bytes_ -= chunk.parsed.memory.page_bytes();
    if (!block_.chunks.empty() && block_.cost_bytes + chunk.cost_bytes > limits_.block_bytes) seal_block(lock);
    block_.cost_bytes += chunk.cost_bytes;
    block_.chunks.push_back(std::move(chunk.parsed));
  }
  draining_ = false;
  changed_.notify_all();
}

void BlockAssembler::seal_block(std::unique_lock<std::mutex>& lock) {
  Block full = std::move(block_);
  block_ = Block{};
  block_.number = full.number + 1;
  changed_.notify_all();
  lock.unlock();
  seal_(std::move(full));
  lock.lock();
}

void BlockAssembler::finish() {
  std::unique_lock lock(mutex_);
  drain(lock);
  if (block_.chunks.empty() || abandoned_) return;
  block_.last = true;
  seal_block(lock);
}

void BlockAssembler::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

}  // namespace spillway
