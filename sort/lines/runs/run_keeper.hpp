// Keeps the runs of a sort on disk beyond the process, so that another one can go on with them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/scratch/scratch_file.hpp"
#include "sort/lines/block/input.hpp"

namespace spillway {

struct Run;
class RunSpace;

// Not thread-safe.
class RunKeeper {
 public:
  virtual ~RunKeeper() = default;

  // What is kept: the runs, in the order of the input, and how much of it they hold. Files belong to the keeper.
  // Throws FormatError for what was damaged.
  virtual std::vector<Run> open_runs() = 0;
  virtual InputDone done() const = 0;

  // The file for the next run, which is dropped unless one of the following is called before the next call.
  virtual ScratchFile& next_file() = 0;
  // After that run: it is kept from now on, whatever happens, and with those before it holds all lines before `done`.
  // Charges `space` for what it adds to the file.
  virtual void add(Run& run, const InputDone& done, RunSpace& space) = 0;
  // The same for a run that was merged from neighbouring ones; removes their files.
  virtual void replace(std::span<const Run> group, Run& merged, RunSpace& space) = 0;
};

}  // namespace spillway
