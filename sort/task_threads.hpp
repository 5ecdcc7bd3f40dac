// Threads of oneTBB for the tasks of a job, started before the job takes its memory.
#pragma once

#include <tbb/global_control.h>

namespace spillway {

// oneTBB starts threads when tasks first need them, and does not survive it if the system refuses one (the limits of
// address space and of processes). So the constructor finds out whether `threads` threads can be had, and has oneTBB
// start all of its own at once; later jobs of the process use these. One more may run tasks: the thread that waits for
// an arena takes part in it.
class TaskThreads {
 public:
  // Throws std::system_error if the system refuses a thread. Requires: no tasks run.
  explicit TaskThreads(unsigned threads);

 private:
  tbb::global_control parallelism_;
};

}  // namespace spillway
