// `spillway sort`: sorts lines as GNU sort does in the C locale. Behaves as `sort` if the program runs under that name.
#include <fcntl.h>
#include <sys/stat.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <system_error>

#include "io/memory/budget.hpp"
#include "io/memory/limits.hpp"
#include "sort/lines/gpu/fallback_sorter.hpp"
#include "sort/lines/input_merge.hpp"
#include "sort/lines/sorter.hpp"
#include "sort/sort_plan.hpp"
#include "sort/sorters.hpp"
#include "sort/task_threads.hpp"
#include "tools/cli/build_facts.hpp"
#include "tools/cli/command_line.hpp"
#include "tools/cli/signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/sort/check.hpp"
#include "tools/commands/sort/debug.hpp"
#include "tools/commands/sort/full_disk.hpp"
#include "tools/commands/sort/gpu.hpp"
#include "tools/commands/sort/options/collate.hpp"
#include "tools/commands/sort/options/option_groups.hpp"
#include "tools/commands/sort/options/options.hpp"
#include "tools/commands/sort/output/count_output.hpp"
#include "tools/commands/sort/output/file_output.hpp"
#include "tools/commands/sort/output/gzip_output.hpp"
#include "tools/commands/sort/output/head_output.hpp"
#include "tools/commands/sort/output/zstd_output.hpp"
#include "tools/commands/sort/packed_inputs.hpp"
#include "tools/commands/sort/report.hpp"
#include "tools/commands/sort/resources.hpp"
#include "tools/commands/sort/resume.hpp"

namespace spillway {

namespace {

std::string program_name(const Session& session) { return session.is_called_sort ? "sort" : "spillway: sort"; }

// Each line of `message` after the program's name, as GNU sort does, unless it begins with "Valid" or a blank.
void print_error(const Session& session, const std::string& message) {
  for (std::size_t begin = 0; begin <= message.size();) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    const std::string line = message.substr(begin, end - begin);
    const bool is_continued = line.starts_with("Valid") || line.starts_with(" ") || line.starts_with("file operands");
    std::fprintf(stderr, "%s%s\n", is_continued ? "" : (program_name(session) + ": ").c_str(), line.c_str());
    begin = end + 1;
  }
}

// What cannot be read for a reason that shows before anything is read.
void check_input(FileSystem& files, const std::string& path, const std::string& refusal) {
  if (path == "-") {
    // A closed stream was opened to write (tools/cli/standard_streams.hpp).
    const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
    if (flags != -1 && (flags & O_ACCMODE) != O_WRONLY) return;
    throw SortError(std::string("stat failed: -: ") + std::strerror(EBADF));
  }
  struct stat status = {};
  if (::euidaccess(path.c_str(), R_OK) != 0) {
    const int error = errno;
    if (error == ENOENT && files.status(path)) return;  // it is elsewhere: an object of a store
    throw SortError(refusal + ": " + quoted_name(path) + ": " + std::strerror(error));
  }
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    throw SortError("read failed: " + quoted_name(path) + ": " + std::strerror(EISDIR));
  }
}

// Null for auto.
const StringSorter* sorter_named(const std::string& name) {
  if (name == "auto") return nullptr;
  static_cast<void>(choose_string_sorter(name, 0, 0, {}));  // refuses unknown names
  return find_string_sorter(name);
}

InputOpener opener_of(const std::optional<PackedInputs>& packed) { return packed ? packed->opener() : InputOpener(); }

// The memory of a sort, of a merge or of a check.
LineSortOptions memory_options(const SortOptions& options, Session& session, const std::optional<PackedInputs>& packed,
                               std::size_t most_open) {
  LineSortOptions engine;
  engine.memory_bytes = line_sort_memory(options, packed, most_open);
  engine.memory_for_lines = [&](std::size_t line_bytes) {
    return memory_for_lines(options, session, line_bytes, [&](std::size_t threads, std::size_t memory) {
      return options.check == SortCheck::kNone ? unsorted_memory(threads, memory) : unsorted_memory_of_reader();
    });
  };
  if (options.counts) engine.output = CountOutput::copies();
  return engine;
}

// `bytes`: what the engine takes, beside what line_sort_memory() has left out.
std::string growth_warning(const SortOptions& options, const Session& session, const LineSortOptions& engine,
                           std::size_t bytes) {
  bytes += memory_bytes(options) - std::min(memory_bytes(options), engine.memory_bytes);
  return program_name(session) + ": warning: a line is too long for the memory of the sort, which is raised to " +
         std::to_string(bytes >> 20) + " MiB or more; --memory sets a hard limit";
}

ExitCode check_order(const SortOptions& options, Session& session) {
  const char letter = options.check == SortCheck::kQuiet ? 'C' : 'c';
  if (options.inputs.size() > 1) {
    throw SortError("extra operand " + quote(options.inputs[1]) + " not allowed with -" + letter);
  }
  if (options.output) throw SortError(std::string("options '-") + letter + "o' are incompatible");
  const std::string& path = options.inputs.front();
  check_input(session.files, path, "open failed");
  const std::optional<PackedInputs> packed = find_packed(options, session);
  LineSortOptions engine = memory_options(options, session, packed, 1);
  if (!options.memory_bytes) {
    engine.warn_of_growth = [&](std::size_t bytes) {
      std::fprintf(stderr, "%s\n", growth_warning(options, session, engine, bytes).c_str());
    };
  }
  LineInput input(session.files, {path}, options.order.format, interruption_check(session.signal_number),
                  opener_of(packed));
  const bool sorted =
      is_sorted(std::move(input), options.order, engine, [&](std::uint64_t number, std::string_view line) {
        if (options.check == SortCheck::kQuiet) return;
        std::fprintf(stderr, "%s: %s:%llu: disorder: ", program_name(session).c_str(), path.c_str(),
                     static_cast<unsigned long long>(number));
        const LineFormat format = options.order.format;
        const std::string shown = format.has_ends() ? std::string() : printable(line);
        const std::string_view text = format.has_ends() ? line : shown;
        std::fwrite(text.data(), 1, text.size(), stderr);
        std::fputc(format.line_end, stderr);
      });
  return sorted ? ExitCode::kDone : ExitCode::kBadIndex;
}

LineSortShape sort_shape(const SortOptions& options, const std::optional<PackedInputs>& packed, FileSystem& files) {
  const auto bytes = packed && packed->count() != 0 ? std::nullopt : file_bytes(options.inputs, files);
  const LineOrder& order = options.order;
  const bool is_of_lines = order.keys.empty() && order.collation == nullptr && order.format.has_ends();
  return {!is_of_lines || options.head, bytes.has_value(), bytes.value_or(0), memory_bytes(options),
          thread_count(options)};
}

// What a sort or a merge works with.
struct SortJob {
  const SortOptions& options;
  Session& session;
  SortReport& report;
  const std::optional<PackedInputs>& packed;
  SortOutput& file;
  KeptRuns* kept;  // null without --resumable
};

void sort_inputs(const SortJob& job, LineOutput& output) {
  const auto& [options, session, report, packed, file, kept] = job;
  const std::size_t most_open = options.merges ? most_open_inputs(options, packed) : 1;
  LineSortOptions engine = memory_options(options, session, packed, most_open);
  engine.temp_directories = temp_directories(options);
  engine.temp_limit_bytes = options.temp_limit_bytes;
  engine.most_runs = options.batch_size;
  engine.keeper = kept;
  // Each run that is kept has a file of its own.
  if (kept != nullptr) {
    engine.most_runs = std::min(most_descriptors(options), engine.most_runs == 0 ? SIZE_MAX : engine.most_runs);
  }
  engine.block_bytes = options.block_bytes;
  engine.sorter = sorter_named(options.sorter);
  if (options.head) engine.head = {*options.head, options.counts};
  engine.check = interruption_check(session.signal_number);
  engine.report = [&](const LineSortSummary& summary) { report.take(summary); };
  if (!packed || packed->count() == 0) report.expect_sizes();
  if (!options.memory_bytes && options.block_bytes == 0) {
    engine.warn_of_growth = [&](std::size_t bytes) { report.say(growth_warning(options, session, engine, bytes)); };
  }
  const bool overwrites =
      std::ranges::any_of(options.inputs, [&](const std::string& path) { return file.overwrites(path); });
  if (options.merges) {
    const SortedInputs inputs{session.files, options.inputs, opener_of(packed),
                              most_open,     overwrites,     options.is_direct};
    merge_lines(inputs, options.order, engine, output);
    return;
  }
  const LineInput* reading = nullptr;
  const auto open_input = [&] {
    LineInput input(session.files, options.inputs, options.order.format, report.check_of(reading), opener_of(packed));
    if (options.is_direct) input.read_directly(direct_readers(options));
    return input;
  };
  const auto note = [&](const std::string& message) { report.say(program_name(session) + ": note: " + message); };
  LineSortShape shape = sort_shape(options, packed, session.files);
  // What is written over could not be read again.
  shape.has_whole_input &= !overwrites;
  const LineGpuPlan gpu = plan_sort_gpu(options, shape);
  RepeatableOutput repeatable(output);
  if (gpu.sorting == LineSorting::kDevice) {
    LineInput input = open_input();
    reading = &input;
    if (sort_in_gpu_memory(gpu, input, options.order, engine, repeatable, note)) return;
    engine.sorter = nullptr;
  }
  std::unique_ptr<StringSorter> sorter_on_gpus;
  std::optional<FallbackStringSorter> on_gpu;
  if (gpu.sorting == LineSorting::kString) {
    std::vector<int> gpus;
    for (const LineGpuPlan::Device& device : gpu.devices) gpus.push_back(device.gpu);
    sorter_on_gpus = make_gpu_string_sorter(gpu.sorter, gpus);
    engine.sorter = &on_gpu.emplace(*sorter_on_gpus, note);
    engine.memory_bytes -= std::min(engine.memory_bytes, gpu.host_bytes);
  }
  LineInput input = open_input();
  reading = &input;
  // A sorter of strings reads them several times, and relies on what it has read: they must not change.
  engine.maps_inputs = !overwrites && !options.is_direct && engine.sorter == nullptr;
  // A stream could keep the reader waiting when the sort has to end.
  engine.reads_ahead = options.is_direct && shape.has_whole_input && !options.head && kept == nullptr;
  sort_lines(input, options.order, engine, repeatable);
}

// The directory of what is kept goes once the output is on the disk under its name.
void finish_output(const SortOptions& options, Session& session, SortOutput& output, KeptRuns* kept) {
  const bool has_commit = kept != nullptr && kept->has_commit();
  if (has_commit) output.sync_content();
  output.finish(options.inputs);
  if (!has_commit) return;
  session.files.sync_directory(parent_directory(session.files.resolve(*options.output)));
  kept->remove();
}

// Starts `threads` threads, this one among them. If their number was not asked for, and the system refuses one, starts
// half as many, and sets `threads`.
std::unique_ptr<TaskThreads> start_threads(const SortOptions& options, std::size_t& threads) {
  while (true) {
    try {
      return std::make_unique<TaskThreads>(static_cast<unsigned>(threads) - 1);
    } catch (const std::system_error& error) {
      if (options.threads != 0 || threads == 1 || !is_lack_of_threads(error)) throw;
      threads /= 2;
    }
  }
}

// Sorts or merges to the output, and finishes that.
void write_output(const SortJob& job) {
  const SortOptions& options = job.options;
  std::size_t threads = thread_count(options);
  const std::unique_ptr<TaskThreads> task_threads = start_threads(options, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  job.report.note_resources(std::max(memory_bytes(options), kLeastSortMemory), threads);
  std::optional<ZstdOutput> zstd;
  std::optional<GzipOutput> gzip;
  std::optional<HeadOutput> head;
  std::optional<CountOutput> counted;
  std::optional<DebugOutput> annotated;
  LineOutput* lines = &job.file;
  if (options.output_packing == SortPacking::kZstd) lines = &zstd.emplace(*lines);
  if (options.output_packing == SortPacking::kGzip) lines = &gzip.emplace(*lines);
  if (options.head) lines = &head.emplace(options.order.format, *options.head, *lines);
  if (options.counts) lines = &counted.emplace(options.order, *lines);
  if (options.debug) lines = &annotated.emplace(options.order, *lines);
  CountedOutput noted(job.report, *lines);
  if (!noted.is_full()) arena.execute([&] { sort_inputs(job, noted); });
  if (counted) counted->finish();
  if (zstd) zstd->finish();
  if (gzip) gzip->finish();
  finish_output(options, job.session, job.file, job.kept);
  job.report.note_output(job.file.bytes_written());
}

void write_sorted(const SortOptions& options, Session& session, SortReport& report) {
  SortOutput output(session, options.output);
  if (options.is_direct) output.write_directly();
  const std::optional<PackedInputs> packed = find_packed(options, session);
  const std::unique_ptr<KeptRuns> kept = keep_runs(options, packed, output, session);
  const auto tell = [&](const std::string& words) {
    report.say(program_name(session) + ": note: " + kept->what_is_kept() + words);
  };
  if (kept != nullptr && kept->has_commit()) tell(", and this sort goes on after them");
  try {
    write_output({options, session, report, packed, output, kept.get()});
  } catch (const std::exception& error) {
    // Where the runs are damaged, the error tells what to do.
    const bool can_go_on =
        kept != nullptr && kept->has_commit() && std::string(error.what()).find("--restart") == std::string::npos;
    if (can_go_on) tell(": give the same command to go on, or add --restart to begin anew");
    throw;
  }
}

// Options of a sort that a check of the order, or --debug, does not take.
void refuse_with_check(const SortOptions& options) {
  const bool checks = options.check != SortCheck::kNone;
  const auto refuse = [](const char* name, const char* other) {
    throw SortError(std::string("options '") + name + " " + other + "' are incompatible");
  };
  if (options.counts && (checks || options.debug)) refuse("--count", options.debug ? "--debug" : "-c");
  if (options.head && (checks || options.debug)) refuse("--head", options.debug ? "--debug" : "-c");
  if (options.report_path && checks) refuse("--json", "-c");
  if (options.is_direct && checks) refuse("--direct-io", "-c");
  if (options.shows_progress && checks) refuse("--progress", "-c");
}

ExitCode sort_files(const SortOptions& options, Session& session) {
  refuse_with_check(options);
  refuse_with_resumable(options);
  const bool is_told = session.is_called_sort || options.debug;  // GNU sort tells of the order with --debug alone
  if (!is_told && !options.collate && options.order.format.has_ends()) {
    if (const auto note = note_of_other_collation()) print_error(session, *note);
  }
  if (options.debug && (options.check != SortCheck::kNone || options.output)) {
    const char letter = options.check == SortCheck::kQuiet ? 'C' : options.check == SortCheck::kReport ? 'c' : 'o';
    throw SortError(std::string("options '-") + letter + " --debug' are incompatible");
  }
  if (options.debug) {
    print_error(session, options.order.collation == nullptr
                             ? "text ordering performed using simple byte comparison"
                             : "text ordering performed using " + quote(*options.collate) + " sorting rules");
    for (const std::string& warning : debug_warnings(options)) print_error(session, warning);
  }
  if (options.check != SortCheck::kNone) return check_order(options, session);
  SortReport report(options, session);
  try {
    for (const std::string& path : options.inputs) check_input(session.files, path, "cannot read");
    write_sorted(options, session, report);
  } catch (const PlacedFileError& error) {
    const IoError shown(output_refusal(error, session.is_called_sort ? std::nullopt : report.expected_output_bytes()));
    report.finish_failed(shown);
    throw shown;
  } catch (const DiskFullError& error) {
    const IoError shown(scratch_refusal(error, options, report, session.files));
    report.finish_failed(shown);
    throw shown;
  } catch (const std::exception& error) {
    report.finish_failed(error);
    throw;
  }
  report.finish();
  return ExitCode::kDone;
}

ExitCode print_plan(const SortOptions& options, Session& session) {
  for (const std::string& path : options.inputs) check_input(session.files, path, "cannot read");
  static_cast<void>(sorter_named(options.sorter));
  const std::optional<PackedInputs> packed = find_packed(options, session);
  const LineSortShape shape = sort_shape(options, packed, session.files);
  const std::size_t own = unsorted_memory(shape.threads, shape.memory_bytes);
  const std::size_t for_lines = std::max(shape.memory_bytes, own + (std::size_t{4} << 20)) - own;
  const std::string sorter = options.sorter == "auto" ? "multikey quicksort of parts" : options.sorter;
  session.out.write(describe_sort_plan(shape, plan_sort_gpu(options, shape), sorter, for_lines));
  return ExitCode::kDone;
}

// Calls action(options, session), and reports errors as GNU sort does.
template <typename Action>
ExitCode run_with_options(const Command& command, const std::vector<std::string>& words, Session& session,
                          const Action& action) {
  try {
    const SortOptions options = parse_sort_options(command, words, program_name(session), session.files);
    if (options.asks_version) {
      session.out.write("spillway " + command.name + " " + kVersion + "\n");
    } else if (options.asks_help) {
      session.out.write(help_text(command));
    } else {
      return action(options, session);
    }
    return ExitCode::kDone;
  } catch (const InterruptedError&) {
    throw;
  } catch (const SortError& error) {
    if (!error.is_printed()) print_error(session, error.what());
    const std::string name = session.is_called_sort ? "sort" : "spillway " + command.name;
    if (error.shows_hint()) std::fprintf(stderr, "Try '%s --help' for more information.\n", name.c_str());
    return error.exit_code();
  } catch (const Error& error) {
    print_error(session, error.what());
  } catch (const std::bad_alloc&) {
    print_error(session, "memory exhausted; a smaller --memory or -S leaves more room for what it does not bound");
  } catch (const std::system_error&) {
    throw;  // the caller knows the remedies
  } catch (const std::runtime_error& error) {
    if (is_lack_of_threads(error)) throw;
    print_error(session, printable(error.what(), 1000));
  }
  return ExitCode::kUsageOrIo;
}

// The process is all of the sort's, unlike that of sort_lines().
ExitCode run_sort(const Command& command, const std::vector<std::string>& words, Session& session) {
  return run_with_options(command, words, session, [](const SortOptions& options, Session& own) {
    share_malloc_arena_in_small_memory(memory_bytes(options));
    return sort_files(options, own);
  });
}

ExitCode run_plan(const Command& command, const std::vector<std::string>& words, Session& session) {
  return run_with_options(command, words, session, print_plan);
}

}  // namespace

ExitCode sort_lines(const std::vector<std::string>& words, Session& session) {
  static std::mutex mutex;  // getopt has state of its own
  const Command command = sort_command();
  SortOptions options;
  {
    const std::lock_guard lock(mutex);
    options = parse_sort_options(command, words, program_name(session), session.files);
  }
  return sort_files(options, session);
}

Command sort_command() {
  Command command;
  command.name = "sort";
  command.summary = "sort lines, in memory or out of core, with the options of GNU sort";
  command.examples = {
      {"spillway sort words.txt -o sorted.txt", "sort the lines of a file by their bytes"},
      {"spillway sort -t, -k2,2n -k1,1 table.csv", "by a number in the second field, then by the first"},
      {"du -h | spillway sort -h", "numbers with units"},
      {"spillway sort --head 20 -t, -k2,2nr huge.csv", "the 20 lines with the greatest numbers, without sorting all"}};
  command.operands = "[INPUT...] [OPTIONS]";
  command.notes =
      "\nWithout INPUT, or for an INPUT of -, reads standard input. Bytes are compared as in the C locale. KEYDEF "
      "gives\n"
      "the begin and the end of a key: field F and byte C in it, counted from 1, and letters of [bdfgiMhnRrV], which\n"
      "replace the options for whole lines. If the program is installed under the name sort, it is this command.";
  command.groups = sort_option_groups();
  command.max_operands = std::numeric_limits<std::size_t>::max();
  command.exit_codes = {{ExitCode::kBadIndex,
                         "-c or -C: the input is not sorted; or --sort or --check does not take the word that it got"}};
  command.run_words = run_sort;
  return command;
}

Command plan_sort_command() {
  Command command = sort_command();
  command.name = "plan --sort";
  command.summary = "show what 'sort' would do, and why, without doing it";
  command.examples = {{"spillway plan --sort words.txt", "memory, runs, sorter and GPU"},
                      {"spillway plan --sort --memory 4G -k2,2n huge.txt", "with options of 'sort'"}};
  command.notes = "\nTakes the options of 'sort'. Reads only the sizes of files, so runs are estimated.";
  command.exit_codes.clear();
  command.is_for_builds = true;
  command.run_words = run_plan;
  return command;
}

}  // namespace spillway
