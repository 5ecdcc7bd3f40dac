// `spillway doctor`: what this machine offers, and what Spillway would use of it.
#include <limits>

#include "tools/commands/commands.hpp"
#include "tools/doctor/doctor.hpp"
#include "tools/report/json.hpp"

namespace spillway {

namespace {

ExitCode run_doctor_command(const Arguments& arguments, Session& session) {
  std::vector<std::string> directories = arguments.operands();
  if (directories.empty()) directories = {"."};
  for (const std::string& directory : directories) {
    const auto status = session.files.status(directory);
    if (status && status->type == FileType::kDirectory) continue;
    throw UsageError("'" + printable(directory, 4096) + "' is not a directory; name those for -o and --temp-dir");
  }
  const MachineFacts facts = machine_facts(directories, arguments.has("quick"), session.signal_number);
  const std::vector<Finding> found = findings(facts);
  session.out.write(arguments.has("json") ? json_text(doctor_json(facts, found)) : findings_text(found));
  for (const Finding& finding : found) {
    if (finding.verdict == Verdict::kProblem) return ExitCode::kBadIndex;
  }
  return ExitCode::kDone;
}

}  // namespace

Command doctor_command() {
  Command command;
  command.name = "doctor";
  command.summary = "show what this machine offers a job, and what should be fixed";
  command.examples = {{"spillway doctor", "processors, memory and its limits, open files, the disk of this directory"},
                      {"spillway doctor /data /scratch", "also measures these disks, by writing 32 MiB to each"},
                      {"spillway doctor --quick --json", "without measuring, for programs"}};
  command.operands = "[DIR...] [OPTIONS]";
  command.notes = "\nDIR: a directory for an index or for runs (default: the working directory).";
  auto output = option_group("Output");
  add_flag(output, "quick", "measure no disk");
  add_flag(output, "json", "write a JSON object");
  command.groups.push_back(output);
  command.max_operands = std::numeric_limits<std::size_t>::max();
  command.exit_codes = {{ExitCode::kBadIndex, "something should be fixed before a job"}};
  command.run = run_doctor_command;
  return command;
}

}  // namespace spillway
