// `spillway verify`: checks every file of an index, and that its postings still have the checksum of the source.
#include <cstdio>
#include <optional>

#include "io/format/index_types.hpp"
#include "io/index/reader.hpp"
#include "io/index/verify.hpp"
#include "tools/cli/signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/report/figures.hpp"
#include "tools/report/json.hpp"

namespace spillway {

namespace {

struct Checked {
  std::uint64_t files = 0, bytes = 0;
  IndexCounts counts;
};

Checked check(const std::string& directory, Session& session) {
  const IndexReader index(session.files, directory);
  verify_index(index, [&](std::uint64_t) { throw_if_interrupted(session.signal_number); });
  Checked checked;
  checked.counts = index.counts();
  for (const auto& file : index.files()) {
    ++checked.files;
    checked.bytes += file.bytes;
  }
  return checked;
}

std::string verdict_text(const std::string& directory, const Checked& checked) {
  return printable(directory, 4096) + ": good\nchecked " + count_text(checked.files) + " files, " +
         bytes_text(checked.bytes) +
         ": hashes, page checksums, order of terms, documents and ids, bounds and counts of " +
         count_text(checked.counts.postings) + " postings in " + count_text(checked.counts.terms) +
         " lists, lengths of " + count_text(checked.counts.documents) + " documents, and the checksum of the source\n";
}

nlohmann::ordered_json verdict_json(const std::string& directory, const Checked* checked, const std::string& reason) {
  nlohmann::ordered_json verdict{{"index", directory}, {"good", checked != nullptr}};
  if (checked == nullptr) {
    verdict["reason"] = reason;
    return verdict;
  }
  verdict["files"] = checked->files;
  verdict["bytes"] = checked->bytes;
  verdict["documents"] = checked->counts.documents;
  verdict["terms"] = checked->counts.terms;
  verdict["postings"] = checked->counts.postings;
  return verdict;
}

ExitCode run_verify_command(const Arguments& arguments, Session& session) {
  const std::string& directory = arguments.operands()[0];
  const bool json = arguments.has("json"), quiet = arguments.has("quiet");
  std::optional<Checked> checked;
  std::string reason;
  try {
    checked = check(directory, session);
  } catch (const FormatError& error) {
    reason = error.what();
  }
  if (json) {
    session.out.write(json_line(verdict_json(directory, checked ? &*checked : nullptr, reason)));
  } else if (checked && !quiet) {
    session.out.write(verdict_text(directory, *checked));
  }
  if (checked) return ExitCode::kDone;
  throw Error(ExitCode::kBadIndex, "the index is bad: " + reason);
}

}  // namespace

Command verify_command() {
  Command command;
  command.name = "verify";
  command.summary = "read an index and check everything in it";
  command.examples = {{"spillway verify docs.index", "prints what was checked, or the first error"},
                      {"spillway verify -q docs.index && echo good", "the exit code alone"}};
  command.operands = "INDEX [OPTIONS]";
  command.notes =
      "\nReads every file completely. Takes about 10 MiB of memory and 4 bytes per document, besides pages of the "
      "index,\n"
      "which the system can reclaim.";
  auto output = option_group("Output");
  add_flag(output, "json", "write a JSON object");
  add_flag(output, "quiet,q", "write nothing about a good index");
  command.groups.push_back(output);
  command.min_operands = command.max_operands = 1;
  command.exit_codes = {{ExitCode::kBadIndex, "the index is bad (the reason is on standard error)"}};
  command.run = run_verify_command;
  return command;
}

}  // namespace spillway
