// The first SIGINT or SIGTERM sets a number that all work checks, so that it stops and cleans up. Another one at least
// 1 s later ends the program at once; the next job with the same output cleans up. SIGXFSZ and SIGPIPE are ignored, so
// that write() reports a file size limit and a closed pipe as errors.
#pragma once

#include <atomic>

namespace spillway {

// 0, or the number of the first SIGINT or SIGTERM since install_signal_handlers().
std::atomic<int>& received_signal();

// Requires: called once, before any thread starts.
void install_signal_handlers();

// Throws InterruptedError if `signal_number` is not 0.
void throw_if_interrupted(const std::atomic<int>& signal_number);

}  // namespace spillway
