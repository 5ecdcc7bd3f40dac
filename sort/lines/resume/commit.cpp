#include "sort/lines/resume/commit.hpp"

#include <algorithm>

#include "io/base/error.hpp"
#include "io/file/sealed_text.hpp"

namespace spillway {

namespace {

constexpr std::string_view kTitle = "Spillway commit of a resumable sort, format 1";

Hash128 read_hash(SealedTextReader& from) {
  Hash128 hash{};
  const std::string bytes = from_hex(from.word());
  if (bytes.size() != hash.size()) from.refuse("a hash", bytes);
  std::ranges::copy(bytes, hash.begin());
  return hash;
}

}  // namespace

std::string SortCommit::serialize() const {
  SealedTextWriter to(kTitle);
  to.line("number").number(number);
  to.line("job").word(to_hex(job));
  to.line("seconds").number(static_cast<std::uint64_t>(seconds));
  to.line("done").number(done.input).number(done.offset).number(done.bytes).number(done.lines);
  to.line("merge-steps").number(merge_steps);
  for (const CommittedRun& run : runs) {
    to.line("run").word(run.name).number(run.bytes).number(run.table_bytes).word(to_hex(run.table_hash));
  }
  return to.seal();
}

SortCommit SortCommit::parse(std::string_view text, const std::string& path) {
  SealedTextReader from(text, kTitle, path);
  SortCommit commit;
  from.expect_line("number");
  commit.number = from.number();
  from.expect_line("job");
  commit.job = read_hash(from);
  from.expect_line("seconds");
  commit.seconds = static_cast<std::int64_t>(from.number());
  from.expect_line("done");
  for (std::uint64_t* const count : {&commit.done.input, &commit.done.offset, &commit.done.bytes, &commit.done.lines}) {
    *count = from.number();
  }
  from.expect_line("merge-steps");
  commit.merge_steps = from.number();
  std::string line = from.next_line();
  for (; line == "run"; line = from.next_line()) {
    CommittedRun run;
    run.name = from.word();
    run.bytes = from.number();
    run.table_bytes = from.number();
    run.table_hash = read_hash(from);
    commit.runs.push_back(std::move(run));
  }
  if (!line.empty()) from.refuse("a line 'run' or the end", line);
  return commit;
}

}  // namespace spillway
