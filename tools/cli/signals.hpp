// The first SIGINT, SIGTERM or SIGHUP sets a number that all work checks, so that it stops and cleans up; then the
// program ends by that signal. Another one at least 1 s later ends the program at once; the next job with the same
// output cleans up. A signal that the program was started to ignore (nohup) stays ignored. SIGXFSZ and SIGPIPE are
// ignored, so that write() reports a file size limit and a closed pipe as errors.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace spillway {

// Further signals within this time are ignored: the terminal and each program between it and this one may send one.
inline constexpr std::int64_t kSignalPatienceMs = 1000;

// 0, or the number of the first SIGINT, SIGTERM or SIGHUP since install_signal_handlers().
std::atomic<int>& received_signal();

// Requires: called before any thread starts.
void install_signal_handlers(std::int64_t patience_ms = kSignalPatienceMs);

// If the environment's SPILLWAY_PARENT is the number of a process: this one, its child, gets SIGTERM when that thread
// of it ends which started this one, or now if it has ended. (What a parent does in a child between fork and exec may
// wait forever for a lock of another thread.)
void end_with_parent();

// Throws InterruptedError if `signal_number` is not 0.
void throw_if_interrupted(const std::atomic<int>& signal_number);

// The same as a function, for what waits or takes long. Requires: `signal_number` outlives it.
std::function<void()> interruption_check(const std::atomic<int>& signal_number);

// Whether a pipe without a reader ends the program, as SIGPIPE would: not if it was started with SIGPIPE ignored.
bool ends_by_closed_pipe();

// Ends the program by the signal, so that a shell knows the reason and stops its loop.
[[noreturn]] void end_by_signal(int number);

}  // namespace spillway
