// Sees every system call of the program on files below one directory (tests/sweep/observed_calls.cpp passes them here):
// writes down what happens, and says which call fails and how.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/sweep/call.hpp"

namespace spillway::sweep {

// A call that was made. Paths are relative to the observed directory.
struct Event {
  Call call = Call::kOpen;
  std::string path, to;      // `to`: of a rename or exchange
  std::string name;          // call and path, without what differs between two runs of a job
  std::uint64_t number = 0;  // how many calls had the same name before
  std::uint64_t file = 0;    // the open file, numbered from 1
  std::uint64_t offset = 0, bytes = 0;
  std::string data;          // what was written
  bool empties = false;      // an open() that cuts the file to no bytes
  bool is_nameless = false;  // an open() of a new file without a name
  bool done = false;         // it succeeded
};

// The call to fail: the `number`th of those with this name, and, if the fault lasts, every later call that can fail in
// the same way.
struct Fault {
  std::string name;
  std::uint64_t number = 0;
  FaultKind kind = FaultKind::kNone;
  bool lasts = false;
  std::uint64_t where = 0;  // kFlip: which bit, modulo the number of bits
};

// Thread-safe.
class Observer {
 public:
  // `root`: an absolute path without links. Allocates nothing on behalf of the program.
  explicit Observer(std::string root) : root_(std::move(root)) {}

  void fail(const Fault& fault) { faults_.push_back({fault, false}); }
  std::vector<Event> take_events() { return std::move(events_); }
  const std::vector<std::string>& failed_paths() const { return failed_paths_; }  // one a fault that fired
  std::uint64_t faults_fired(std::size_t fault) const { return faults_.at(fault).fired; }
  std::vector<std::string> open_paths() const;  // of descriptors that are still open

  // For tests/sweep/observed_calls.cpp, which holds the mutex.
  struct OpenFile {
    std::string path;
    std::uint64_t number = 0, offset = 0;
    bool is_written = false, is_directory = false;
  };
  struct Verdict {
    FaultKind kind = FaultKind::kNone;
    std::uint64_t where = 0;
  };
  std::mutex& mutex() { return mutex_; }
  bool find(const char* path, std::string& relative) const;  // whether it is below the root
  OpenFile* find(int descriptor);
  void opened(int descriptor, std::string path, bool is_written, bool is_directory);
  void closed(int descriptor) { files_.erase(descriptor); }
  void copied(int descriptor, int copy) { files_[copy] = files_.at(descriptor); }
  // What is written by `again` is in the file when the call returns: that its close fails loses nothing.
  void opened_again(int descriptor, int again) {
    OpenFile file = files_.at(descriptor);
    file.is_written = false;
    files_[again] = std::move(file);
  }
  // Observes a stream that was opened before; it has the number 0.
  void add_stream(int descriptor, std::string name) { files_[descriptor] = {std::move(name), 0, 0, true, false}; }
  // A part of a name that nobody can guess, and which the names of events therefore leave out. What
  // io/file/unique_name.hpp adds is known by its form.
  void add_random_part(std::string part) { random_parts_.push_back(std::move(part)); }
  // Adds the event, which has call, path and sizes, and says how it ends.
  Verdict begin(Event event);
  Event& last() { return events_.back(); }

 private:
  std::string without_random_parts(std::string path) const;
  struct ArmedFault {
    Fault fault;
    std::uint64_t fired = 0;
  };
  std::mutex mutex_;
  std::string root_;
  std::vector<ArmedFault> faults_;
  std::vector<Event> events_;
  std::vector<std::string> failed_paths_, random_parts_;
  std::map<std::string, std::uint64_t> counts_;
  std::map<int, OpenFile> files_;
  std::uint64_t next_file_ = 1;
};

// Starts and ends the observation. Requires: no call is under way in another thread.
void observe_calls(Observer* observer);

}  // namespace spillway::sweep
