// The jobs that the sweep runs: command lines of the program on small inputs.
#pragma once

#include <string>
#include <vector>

#include "tests/sweep/observer.hpp"
#include "tests/sweep/tree.hpp"

namespace spillway::sweep {

// In words, "%/" at the start stands for the directory of the test.
struct Scenario {
  std::string name;
  std::vector<std::string> words;
  std::string output = {};  // what the command makes, an index or a file; empty for one that only reads
  // Commands that make the rest of what is there before: indexes to replace, merge or read.
  std::vector<std::vector<std::string>> preparations = {};

  // The next job where the output is the new index already and the command would change it again; it changes nothing.
  // Empty: the command itself.
  std::vector<std::string> afterwards = {};
  bool appends_output = false;  // standard output takes bytes only at its end

  // What is there before the preparations: inputs below in/ and lists/, and the directories temp/ and place/.
  Tree inputs() const;
  bool is_sort() const { return words[0] == "sort"; }
  // Whether the output is also read.
  bool replaces_input() const;
  // Whether other bytes in this call give an error, or change nothing.
  bool notices_flip(const Event& event) const;
  // Likewise where a read finds nothing.
  bool notices_end(const Event& event) const;

  // Whether the index that the command makes grows out of what is at the output.
  bool reads_output() const;
  // Whether an interrupted job leaves what the next one goes on with.
  bool is_resumable() const;
};

std::vector<Scenario> all_scenarios();
// Whether the file is part of the scratch that a job leaves to the next if it cannot remove it.
bool is_scratch(const std::string& path);
// Whether the call concerns the lock of a directory of a job: the file, or the directory in which it is made.
bool is_lock(const std::string& path);

}  // namespace spillway::sweep
