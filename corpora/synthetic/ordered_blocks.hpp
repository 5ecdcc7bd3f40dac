// Lets many threads make numbered blocks and one thread at a time write them in order: the frame of every generator.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace spillway {

// Make: void(std::uint64_t number, Block& block), called on any thread with a block to be reused.
// Write: bool(const Block& block), called for the blocks 0, 1, ... in this order; false ends the work.
template <typename Block, typename Make, typename Write>
class OrderedBlocks {
 public:
  OrderedBlocks(Make make, Write write) : make_(std::move(make)), write_(std::move(write)) {}

  // An exception of make or write ends the work and is rethrown. Memory: one block per thread.
  void run(unsigned threads) {
    {
      std::vector<std::jthread> others;
      try {
        for (unsigned i = 1; i < threads; ++i) others.emplace_back([this] { work(); });
      } catch (...) {
        fail(std::current_exception());  // stops the threads that have started
      }
      work();
    }
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  void work() noexcept {
    try {
      Block block;
      for (;;) {
        const std::uint64_t number = next_made_++;
        if (finished_) return;
        make_(number, block);
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [&] { return finished_ || next_written_ == number; });
        if (finished_) return;
        if (!write_(std::as_const(block))) finished_ = true;
        ++next_written_;
        lock.unlock();
        turn_.notify_all();
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }

  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (error_ == nullptr) error_ = std::move(error);
    finished_ = true;
    turn_.notify_all();
  }

  Make make_;
  Write write_;
  std::atomic<std::uint64_t> next_made_{0};
  std::atomic<bool> finished_{false};
  std::mutex mutex_;
  std::condition_variable turn_;
  std::uint64_t next_written_ = 0;
  std::exception_ptr error_;
};

template <typename Block, typename Make, typename Write>
void write_in_order(unsigned threads, Make make, Write write) {
  OrderedBlocks<Block, Make, Write>(std::move(make), std::move(write)).run(threads);
}

}  // namespace spillway
