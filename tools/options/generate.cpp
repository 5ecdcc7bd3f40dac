#include "tools/options/generate.hpp"

#include <algorithm>
#include <thread>

#include "tools/cli/option_values.hpp"
#include "tools/cli/output_file.hpp"
#include "tools/cli/signals.hpp"

namespace spillway {

void add_generated_output_options(boost::program_options::options_description& group) {
  add_value(group, "output,o", "FILE", "the file to write (default -: standard output)");
  add_flag(group, "force", "replace an existing file");
  add_value(group, "seed", "N", "seed of the random numbers (default 1)");
}

void add_generating_threads_option(boost::program_options::options_description& group) {
  add_value(group, "threads", "N", "threads (default: as many as processors)");
}

unsigned generating_threads(const Arguments& arguments) {
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  take_count(arguments, "threads", 1, 1024, threads);
  return threads;
}

void write_generated(const Arguments& arguments, Session& session,
                     const std::function<void(const std::function<void(std::string_view)>&)>& make) {
  const auto if_there = arguments.has("force") ? OutputFile::IfThere::kReplace : OutputFile::IfThere::kRefuse;
  OutputFile file(session, "--output", arguments.text("output").value_or("-"), if_there);
  make([&](std::string_view bytes) {
    throw_if_interrupted(session.signal_number);
    file.write(bytes);
  });
  file.finish();
}

}  // namespace spillway
