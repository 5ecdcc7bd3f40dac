// Temporarily lowers the limit on open files, for tests of jobs that must keep to it.
#pragma once

#include <sys/resource.h>

#include <algorithm>

namespace spillway::testing {

// Lowers the limit for its lifetime.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t count) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = std::min(count, before_.rlim_max);
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace spillway::testing
