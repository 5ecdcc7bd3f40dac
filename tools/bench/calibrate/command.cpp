// `spillway bench calibrate`: measures on this machine the costs by which plans choose.
#include "tools/bench/calibrate/calibration.hpp"
#include "tools/bench/output.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/scratch.hpp"
#include "tools/cli/option_values.hpp"
#include "tools/commands/commands.hpp"
#include "tools/options/job.hpp"

namespace spillway {

namespace {

CalibrationSizes calibration_sizes(const Arguments& arguments) {
  CalibrationSizes sizes;
  take_count(arguments, "keys", 1, std::uint64_t{1} << 40, sizes.keys);
  take_count(arguments, "strings", 1, 0xFFFFFFFF, sizes.strings);
  take_size(arguments, "text", sizes.text_bytes);
  take_size(arguments, "disk", sizes.disk_bytes);
  return sizes;
}

ExitCode run_bench_calibrate_command(const Arguments& arguments, Session& session) {
  const CalibrationSizes sizes = calibration_sizes(arguments);
  const BenchOptions options = bench_options(arguments, session.files, false);
  BenchOutput output(arguments, session, bench_head("bench calibrate", options.gpus));
  if (!options.gpu)
    print_message("bench calibrate: measuring only the CPU's costs; no GPU can be used: " + options.gpus.detail);
  const BenchScratch scratch(session.files, arguments.text("scratch").value_or("."));
  Calibrator calibrator(session, options, sizes, scratch.path());
  calibrator.measure_records();
  calibrator.measure_strings();
  calibrator.measure_disk_speed();
  calibrator.measure_merge();
  output.set("options", {{"rounds", options.rounds},
                         {"seed", options.seed},
                         {"threads", options.threads},
                         {"keys", sizes.keys},
                         {"strings", sizes.strings},
                         {"text_bytes", sizes.text_bytes},
                         {"disk_bytes", sizes.disk_bytes}});
  output.set("costs", calibrator.result().costs);
  output.set("measurements", calibrator.result().measurements);
  output.say(calibration_table(calibrator.result()));
  output.finish();
  return ExitCode::kDone;
}

}  // namespace

Command bench_calibrate_command() {
  Command command;
  command.name = "bench calibrate";
  command.summary = "measure the costs by which plans choose sorters";
  command.examples = {
      {"spillway bench calibrate --json costs.json", "everything, on the disk of the working directory"},
      {"spillway bench calibrate --scratch /ssd --require-gpu", "another disk; fails without a GPU"}};
  command.operands = "[OPTIONS]";
  command.notes =
      "\nMeasures seconds per record and per string of every sorter, bytes per second of copies to and from the GPU "
      "and of\n"
      "the disk, and seconds of a merge per posting and per term of each run. Prints medians. The JSON has all rounds, "
      "and\n"
      "a member 'costs' with the names that the plans use. docs/results has the measurement of the built-in costs.";
  auto measuring = option_group("Measuring"), resources = option_group("Resources");
  add_bench_options(measuring);
  add_value(measuring, "keys", "N", "keys for record sorters (default 16777216)");
  add_value(measuring, "strings", "N", "strings of each set for string sorters (default 1000000)");
  add_value(measuring, "text", "SIZE", "size of the text whose runs are merged (default 32M)");
  add_value(measuring, "disk", "SIZE", "bytes written to and read from the disk (default 256M)");
  add_value(measuring, "scratch", "DIR", "a directory on the disk to measure (default: the working directory)");
  add_resource_options(resources);
  add_bench_gpu_options(resources);
  for (const auto& group : {measuring, resources}) command.groups.push_back(group);
  command.exit_codes = {{ExitCode::kOverBudget, "--memory is too small for these sizes"},
                        {ExitCode::kNoGpu, "a GPU was asked for, and none is usable"}};
  command.run = run_bench_calibrate_command;
  return command;
}

}  // namespace spillway
