#include "sort/task_threads.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace spillway {

namespace {

// Threads that wait until all of them have come.
class Meeting {
 public:
  explicit Meeting(unsigned expected) : missing_(expected) {}
  void come() {
    const std::lock_guard lock(mutex_);
    if (missing_ > 0 && --missing_ == 0) complete_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    complete_.wait(lock, [&] { return missing_ == 0; });
  }
  // Returns at the latest after `limit`: oneTBB gives threads to an arena when they are free, and promises none.
  void wait_for(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    complete_.wait_for(lock, limit, [&] { return missing_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable complete_;
  unsigned missing_;
};

// Throws std::system_error if `threads` threads cannot run at the same time. Their stacks are at least as large as
// those of oneTBB.
void try_threads(unsigned threads) {
  Meeting end(1);
  std::vector<std::jthread> tried;
  tried.reserve(threads);
  try {
    for (unsigned i = 0; i < threads; ++i) tried.emplace_back([&end] { end.wait(); });
  } catch (...) {
    end.come();
    throw;
  }
  end.come();
}

void start_threads(unsigned threads) {
  Meeting all(threads);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    tbb::parallel_for(
        0U, threads,
        [&](unsigned) {
          all.come();
          all.wait_for(std::chrono::milliseconds(100));
        },
        tbb::static_partitioner());
  });
}

}  // namespace

TaskThreads::TaskThreads(unsigned threads) : parallelism_(tbb::global_control::max_allowed_parallelism, threads + 1) {
  static std::mutex mutex;
  static unsigned started = 0;  // oneTBB keeps its threads as long as the thread lives that had them started
  const std::lock_guard lock(mutex);
  if (threads <= started) return;
  try_threads(threads);
  start_threads(threads + 1);
  started = threads;
}

}  // namespace spillway
