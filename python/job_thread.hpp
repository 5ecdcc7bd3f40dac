// Runs a job of the engine on a thread of its own, while the thread that called from Python waits without the
// interpreter's lock. The caller's thread sees to everything that belongs to Python: signals, progress, and the input's
// next batch, so that a generator runs in the thread that gave it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

namespace spillway::python {

class JobThread {
 public:
  using Work = std::function<void(std::atomic<int>& signal_number)>;

  // `tick`, if set, is called on the caller's thread about twenty times a second, with the lock.
  explicit JobThread(std::function<void()> tick = {}) : tick_(std::move(tick)) {}

  // Returns when the work is done. Throws what it throws; but first what Python raised meanwhile (KeyboardInterrupt, an
  // exception of a generator or of `tick`), which stops the job. Requires: the caller holds the interpreter's lock.
  // Throws Error in a process that was forked from one that has run a job: its threads are gone.
  void run(const Work& work);

  // For the job's threads: runs `call` on the caller's thread, without the lock, and returns its result. Returns
  // ECANCELED if the job was stopped.
  int on_caller_thread(const std::function<int()>& call);

  // For `call` above: keeps the exception, which run() throws instead of the engine's.
  void keep(std::exception_ptr error);

 private:
  struct Request {
    const std::function<int()>* call;
    int result = 0;
    bool is_done = false;
  };
  void serve(std::unique_lock<std::mutex>& lock);
  void look_after_python(std::unique_lock<std::mutex>& lock);

  const std::function<void()> tick_;
  std::atomic<int> signal_number_{0};
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  Request* request_ = nullptr;
  bool is_done_ = false, is_stopped_ = false;
  std::exception_ptr of_python_, of_job_;
};

// Throws Error if this process was forked after a job had run in its parent. Otherwise the process counts as one that
// has.
void note_job_of_process();

}  // namespace spillway::python
