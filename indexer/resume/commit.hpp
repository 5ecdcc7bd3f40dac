// The file spillway-manifest-N of a resumable job: how far the job had got, from which another process can go on. It
// names what the next merge reads, in document order: runs in the work directory, and inputs of a job that merges.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/resume/ledger.hpp"
#include "io/base/checksum.hpp"
#include "io/format/run.hpp"

namespace spillway {

struct CommittedSource {
  std::string name;  // of a file; of an input of a merge "input-" and its number, from 0
  std::uint64_t bytes = 0;
  RunSummary summary;
  bool may_have_dropped = false;

  bool is_input() const { return name.starts_with("input-"); }
  bool operator==(const CommittedSource& other) const;
};

struct Commit {
  std::uint64_t number = 0;  // from 1
  Hash128 job{};             // hash of spillway-job
  std::int64_t seconds = 0;  // when it was made, since 1970
  Ledger ledger;
  std::uint64_t merge_steps = 0;
  std::vector<CommittedSource> sources;

  std::string serialize() const;
  // Throws FormatError naming `path`.
  static Commit parse(std::string_view text, const std::string& path);
};

}  // namespace spillway
