#include "python/job_thread.hpp"

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "io/base/error.hpp"

namespace spillway::python {

namespace {

namespace nb = nanobind;

constexpr std::chrono::milliseconds kWait{50};

}  // namespace

void note_job_of_process() {
  static std::atomic<pid_t> process{0};
  const pid_t own = ::getpid();
  pid_t known = 0;
  if (process.compare_exchange_strong(known, own) || known == own) return;
  throw Error(ExitCode::kUsageOrIo,
              "this process was forked from one that has run a job, and has none of its threads; start processes with "
              "multiprocessing's method 'spawn', or fork before the first job. Searching works in forked processes");
}

void JobThread::run(const Work& work) {
  note_job_of_process();
  nb::gil_scoped_release unlocked;
  std::thread thread([&] {
    std::exception_ptr error;
    try {
      work(signal_number_);
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    of_job_ = std::move(error);
    is_done_ = true;
    changed_.notify_all();
  });
  {
    std::unique_lock lock(mutex_);
    auto next_look = std::chrono::steady_clock::now() + kWait;
    while (!is_done_) {
      changed_.wait_for(lock, kWait, [&] { return is_done_ || request_ != nullptr; });
      if (request_ != nullptr) serve(lock);
      if (std::chrono::steady_clock::now() < next_look) continue;
      look_after_python(lock);
      next_look = std::chrono::steady_clock::now() + kWait;
    }
  }
  thread.join();
  if (of_python_ != nullptr) std::rethrow_exception(of_python_);
  if (of_job_ != nullptr) std::rethrow_exception(of_job_);
}

// Requires: the lock is held, before and after.
void JobThread::serve(std::unique_lock<std::mutex>& lock) {
  Request& request = *request_;
  const bool stopped = is_stopped_;
  lock.unlock();
  const int result = stopped ? ECANCELED : (*request.call)();
  lock.lock();
  request.result = result;
  request.is_done = true;
  request_ = nullptr;
  changed_.notify_all();
}

void JobThread::look_after_python(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  try {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (tick_) tick_();
  } catch (...) {
    keep(std::current_exception());
  }
  lock.lock();
}

void JobThread::keep(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (of_python_ == nullptr) of_python_ = std::move(error);
  is_stopped_ = true;
  signal_number_ = SIGINT;
  changed_.notify_all();
}

int JobThread::on_caller_thread(const std::function<int()>& call) {
  Request request{&call};
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return request_ == nullptr; });
  request_ = &request;
  changed_.notify_all();
  changed_.wait(lock, [&] { return request.is_done; });
  return request.result;
}

}  // namespace spillway::python
