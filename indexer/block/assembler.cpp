#include "indexer/block/assembler.hpp"

#include <utility>

namespace spillway {

BlockAssembler::BlockAssembler(const AssemblerLimits& limits, std::function<std::size_t(const ParsedChunk&)> cost,
                               Seal seal, const Ledger& start)
    : limits_(limits), cost_(std::move(cost)), seal_(std::move(seal)), head_(start.position.task), done_(start) {}

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

void BlockAssembler::finish_task(std::uint64_t task, Ledger counts) {
  std::unique_lock lock(mutex_);
  tasks_[task].counts = std::move(counts);
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
      end_task(task);
      tasks_.erase(found);
      ++head_;
      continue;
    }
    Chunk chunk = std::move(task.chunks.front());
    task.chunks.pop_front();
    held_bytes_ -= chunk.parsed.memory.page_bytes();
    while (!block_.chunks.empty() && block_.cost_bytes + chunk.cost_bytes > limits_.block_bytes) seal_full_block(lock);
    block_.cost_bytes += chunk.cost_bytes;
    costs_.push_back(chunk.cost_bytes);
    block_.chunks.push_back(std::move(chunk.parsed));
  }
  draining_ = false;
  changed_.notify_all();
}

void BlockAssembler::end_task(Task& task) {
  if (!limits_.at_tasks) return;
  done_.append(task.counts);
  whole_tasks_chunks_ = block_.chunks.size();
}

// With at_tasks the chunks of the unfinished task begin the next block, unless the block has no others.
void BlockAssembler::seal_full_block(std::unique_lock<std::mutex>& lock) {
  if (whole_tasks_chunks_ == 0) return seal_block(lock);
  Block next;
  for (std::size_t i = whole_tasks_chunks_; i < block_.chunks.size(); ++i) {
    next.chunks.push_back(std::move(block_.chunks[i]));
    next.cost_bytes += costs_[i];
  }
  std::vector<std::size_t> next_costs(costs_.begin() + static_cast<std::ptrdiff_t>(whole_tasks_chunks_), costs_.end());
  block_.chunks.resize(whole_tasks_chunks_);
  block_.cost_bytes -= next.cost_bytes;
  block_.done = done_;
  seal_block(lock, std::move(next), std::move(next_costs));
}

// `next`: what the next block begins with.
void BlockAssembler::seal_block(std::unique_lock<std::mutex>& lock, Block next, std::vector<std::size_t> next_costs) {
  Block full = std::exchange(block_, std::move(next));
  costs_ = std::move(next_costs);
  whole_tasks_chunks_ = 0;
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
  if (limits_.at_tasks) block_.done = done_;
  seal_block(lock);
}

void BlockAssembler::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

}  // namespace spillway
