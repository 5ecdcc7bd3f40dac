// The file spillway-manifest-N of a sort that can go on: the runs that hold all lines up to a place in the input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/base/checksum.hpp"
#include "sort/lines/block/input.hpp"

namespace spillway {

struct CommittedRun {
  std::string name;                          // of the file
  std::uint64_t bytes = 0, table_bytes = 0;  // of the file; of the table at its end
  Hash128 table_hash{};
};

struct SortCommit {
  std::uint64_t number = 0;  // from 1
  Hash128 job{};             // hash of spillway-job
  std::int64_t seconds = 0;  // when it was made, since 1970
  InputDone done;
  std::uint64_t merge_steps = 0;
  std::vector<CommittedRun> runs;  // in the order of the input

  std::string serialize() const;
  // Throws FormatError naming `path`.
  static SortCommit parse(std::string_view text, const std::string& path);
};

}  // namespace spillway
