// A thread that does one thing to pieces of bytes, in the order in which they come: a step of a pipeline.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

namespace spillway {

// put() and finish() by one thread at a time. Destruction without finish() discards what waits.
class OrderedStage {
 public:
  // The bytes stay as they are until the last owner of them is gone.
  struct Piece {
    std::span<const std::uint8_t> bytes;
    std::shared_ptr<const void> owner;
  };
  using Work = std::function<void(Piece&&)>;

  // `work` is called on a thread of this stage, one piece at a time. std::system_error where no thread is to be had.
  OrderedStage(std::size_t most_waiting, Work work);
  ~OrderedStage();
  OrderedStage(const OrderedStage&) = delete;
  OrderedStage& operator=(const OrderedStage&) = delete;

  // Waits while most_waiting pieces wait. Throws what the work has thrown; nothing is done after that.
  void put(Piece piece);
  // Waits until all is done. Throws as put().
  void finish();

 private:
  void run() noexcept;
  std::size_t most_waiting_;
  Work work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece> waiting_;
  bool is_busy_ = false, is_ending_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace spillway
