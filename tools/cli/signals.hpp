// SIGINT and SIGTERM ask to stop: work looks at a number and cleans up. One that comes a second or more after the first
// ends the program where it is, which leaves to the next job what was to be cleaned up. SIGXFSZ and SIGPIPE are
// ignored, so that a file size limit and a closed pipe come as errors of write().
#pragma once

#include <atomic>

namespace spillway {

// 0, or the number of the first SIGINT or SIGTERM since install_signal_handlers().
std::atomic<int>& received_signal();

// To be called once, before any thread starts.
void install_signal_handlers();

// Throws InterruptedError if a signal came.
void throw_if_interrupted(const std::atomic<int>& signal_number);

}  // namespace spillway
