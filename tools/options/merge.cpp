#include "tools/options/merge.hpp"

#include "tools/cli/option_values.hpp"
#include "tools/options/job.hpp"

namespace spillway {

void take_resources(const Arguments& arguments, FileSystem& files, MergeOptions& options) {
  JobResources resources = job_resources(arguments, files);
  options.memory_bytes = resources.memory_bytes;
  options.threads = resources.threads;
  options.temp_directories = std::move(resources.temp_directories);
  options.temp_limit_bytes = resources.temp_limit_bytes;
}

MergeOptions merge_options(const Arguments& arguments, FileSystem& files) {
  refuse_both(arguments, "quiet", "verbose");
  refuse_both(arguments, "quiet", "progress");
  MergeOptions result;
  result.inputs = arguments.operands();
  result.output = output_option(arguments);
  if (const auto list = arguments.text("drop")) {
    if (*list != "-" && !files.status(*list)) {
      throw UsageError("--drop '" + printable(*list, 4096) + "': there is no such file");
    }
    result.drop_ids.files = {*list};
  }
  if (const auto text = arguments.text("dedup")) {
    if (parse_choice("--dedup", *text, arguments.choices("dedup")) != 0) result.dedup = Dedup::kUrl;
  }
  take_resources(arguments, files, result);
  take_count(arguments, "fan-in", 2, 1024, result.max_fan_in);
  result.force = arguments.has("force");
  result.resume = resume_options(arguments);
  return result;
}

}  // namespace spillway
