// `spillway sort`: sorts lines as GNU sort does in the C locale. Behaves as `sort` if the program runs under that name.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <system_error>

#include "io/memory/budget.hpp"
#include "io/memory/limits.hpp"
#include "sort/lines/gpu/fallback_sorter.hpp"
#include "sort/lines/input_merge.hpp"
#include "sort/lines/sorter.hpp"
#include "sort/sort_plan.hpp"
#include "sort/sorters.hpp"
#include "tools/cli/build_facts.hpp"
#include "tools/cli/signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/sort/check.hpp"
#include "tools/commands/sort/count_output.hpp"
#include "tools/commands/sort/debug.hpp"
#include "tools/commands/sort/gpu.hpp"
#include "tools/commands/sort/options.hpp"
#include "tools/commands/sort/output.hpp"
#include "tools/commands/sort/packed_inputs.hpp"
#include "tools/commands/sort/zstd_output.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMemoryOfThread = std::size_t{8} << 20;

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
void check_input(const std::string& path, const std::string& refusal) {
  if (path == "-") {
    // A closed stream was opened to write (tools/cli/standard_streams.hpp).
    const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
    if (flags != -1 && (flags & O_ACCMODE) != O_WRONLY) return;
    throw SortError(std::string("stat failed: -: ") + std::strerror(EBADF));
  }
  struct stat status = {};
  if (::euidaccess(path.c_str(), R_OK) != 0) {
    throw SortError(refusal + ": " + quoted_name(path) + ": " + std::strerror(errno));
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

// -S is a wish, and less serves where there is less.
std::uint64_t memory_bytes(const SortOptions& options) {
  const std::uint64_t available = available_memory_bytes();
  return options.memory_bytes ? *options.memory_bytes
                              : std::min(options.buffer_bytes.value_or(available / 2), available);
}

// None if inputs are not to be unpacked.
std::optional<PackedInputs> find_packed(const SortOptions& options, Session& session) {
  const bool is_default = options.unpacking == SortUnpacking::kDefault;
  if (options.unpacking == SortUnpacking::kNever || (is_default && session.is_called_sort)) return std::nullopt;
  return std::optional<PackedInputs>(std::in_place, session, options.inputs,
                                     SortMemory{memory_bytes(options), options.memory_bytes.has_value()});
}

InputOpener opener_of(const std::optional<PackedInputs>& packed) { return packed ? packed->opener() : InputOpener(); }

ExitCode check_order(const SortOptions& options, Session& session) {
  const char letter = options.check == SortCheck::kQuiet ? 'C' : 'c';
  if (options.inputs.size() > 1) {
    throw SortError("extra operand " + quote(options.inputs[1]) + " not allowed with -" + letter);
  }
  if (options.output) throw SortError(std::string("options '-") + letter + "o' are incompatible");
  const std::string& path = options.inputs.front();
  check_input(path, "open failed");
  const std::optional<PackedInputs> packed = find_packed(options, session);
  const bool sorted =
      is_sorted(path, options.order, opener_of(packed), session, [&](std::uint64_t number, std::string_view line) {
        if (options.check == SortCheck::kQuiet) return;
        std::fprintf(stderr, "%s: %s:%llu: disorder: ", program_name(session).c_str(), path.c_str(),
                     static_cast<unsigned long long>(number));
        std::fwrite(line.data(), 1, line.size(), stderr);
        std::fputc(options.order.line_end, stderr);
      });
  return sorted ? ExitCode::kDone : ExitCode::kBadIndex;
}

std::vector<std::string> temp_directories(const SortOptions& options) {
  if (!options.temp_directories.empty()) return options.temp_directories;
  const char* const directory = std::getenv("TMPDIR");
  return {directory != nullptr && *directory != '\0' ? directory : "/tmp"};
}

// Each thread needs memory of its own, for texts and contexts of the compressor.
std::size_t thread_count(const SortOptions& options) {
  const std::size_t processors = usable_threads(), wanted = options.threads == 0 ? processors : options.threads;
  const std::size_t most = std::max(memory_bytes(options), kLeastSortMemory) / kMemoryOfThread;
  return std::min({wanted, 4 * processors, most});
}

// Descriptors for inputs: those that are left after scratch files and a few others.
std::size_t most_descriptors(const SortOptions& options) {
  constexpr std::size_t kOtherDescriptors = 4;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 2;
  std::error_code error;
  const auto open = std::distance(std::filesystem::directory_iterator("/proc/self/fd", error), {});
  const std::size_t taken = static_cast<std::size_t>(open) + temp_directories(options).size() + kOtherDescriptors;
  return limit.rlim_cur > taken + 2 ? limit.rlim_cur - taken : 2;
}

// Memory that packed inputs take while `open` inputs are open.
std::size_t unpack_bytes(const PackedInputs& packed, std::size_t open) {
  return std::min(open, packed.count()) * packed.bytes_each();
}

// Inputs that a merge may open, at least 2: the descriptors that are left after those of scratch files and a few
// others, and what can be unpacked in half of the memory.
std::size_t most_open_inputs(const SortOptions& options, const std::optional<PackedInputs>& packed) {
  std::size_t most = most_descriptors(options);
  if (packed && unpack_bytes(*packed, most) > memory_bytes(options) / 2) {
    most = memory_bytes(options) / 2 / packed->bytes_each();
  }
  return std::max<std::size_t>(most, 2);
}

LineSortShape sort_shape(const SortOptions& options, const std::optional<PackedInputs>& packed, FileSystem& files) {
  const auto bytes = packed && packed->count() != 0 ? std::nullopt : file_bytes(options.inputs, files);
  return {!options.order.keys.empty(), bytes.has_value(), bytes.value_or(0), memory_bytes(options),
          thread_count(options)};
}

void sort_inputs(const SortOptions& options, SortOutput& file, LineOutput& output, Session& session) {
  const std::optional<PackedInputs> packed = find_packed(options, session);
  const std::size_t most_open = options.merges ? most_open_inputs(options, packed) : 1;
  LineSortOptions engine;
  engine.memory_bytes = memory_bytes(options);
  if (packed) engine.memory_bytes -= std::min(engine.memory_bytes, unpack_bytes(*packed, most_open));
  if (options.packs_output) engine.memory_bytes -= std::min(engine.memory_bytes, ZstdOutput::kMemoryBytes);
  engine.temp_directories = temp_directories(options);
  engine.temp_limit_bytes = options.temp_limit_bytes;
  engine.most_runs = options.batch_size;
  engine.block_bytes = options.block_bytes;
  engine.sorter = sorter_named(options.sorter);
  engine.check = interruption_check(session.signal_number);
  if (!options.memory_bytes && options.block_bytes == 0) {
    engine.warn_of_growth = [&](std::size_t bytes) {
      print_error(session, "warning: a line is too long for the memory of the sort, which is raised to " +
                               std::to_string(bytes >> 20) + " MiB or more; --memory sets a hard limit");
    };
  }
  const bool overwrites =
      std::ranges::any_of(options.inputs, [&](const std::string& path) { return file.overwrites(path); });
  if (options.merges) {
    const SortedInputs inputs{session.files, options.inputs, opener_of(packed), most_open, overwrites};
    merge_lines(inputs, options.order, engine, output);
    return;
  }
  const auto open_input = [&] {
    return LineInput(session.files, options.inputs, options.order.line_end, interruption_check(session.signal_number),
                     opener_of(packed));
  };
  const auto note = [&](const std::string& message) { print_error(session, "note: " + message); };
  LineSortShape shape = sort_shape(options, packed, session.files);
  // What is written over could not be read again.
  shape.has_whole_input &= !overwrites;
  const LineGpuPlan gpu = plan_sort_gpu(options, shape);
  RepeatableOutput repeatable(output);
  if (gpu.sorting == LineSorting::kDevice) {
    LineInput input = open_input();
    if (sort_in_gpu_memory(gpu, input, options.order, engine, repeatable, note)) return;
    engine.sorter = nullptr;
  }
  std::optional<FallbackStringSorter> on_gpu;
  if (gpu.sorting == LineSorting::kString) {
    engine.sorter = &on_gpu.emplace(*find_string_sorter(gpu.sorter), note);
    engine.memory_bytes -= std::min(engine.memory_bytes, gpu.host_bytes);
  }
  LineInput input = open_input();
  engine.maps_inputs = !overwrites;
  sort_lines(input, options.order, engine, repeatable);
}

ExitCode sort_files(const SortOptions& options, Session& session) {
  if (options.debug && (options.check != SortCheck::kNone || options.output)) {
    const char letter = options.check == SortCheck::kQuiet ? 'C' : options.check == SortCheck::kReport ? 'c' : 'o';
    throw SortError(std::string("options '-") + letter + " --debug' are incompatible");
  }
  if (options.debug) {
    print_error(session, "text ordering performed using simple byte comparison");
    for (const std::string& warning : debug_warnings(options)) print_error(session, warning);
  }
  if (options.counts && (options.check != SortCheck::kNone || options.debug)) {
    throw SortError(std::string("options '--count ") + (options.debug ? "--debug" : "-c") + "' are incompatible");
  }
  if (options.check != SortCheck::kNone) return check_order(options, session);
  for (const std::string& path : options.inputs) check_input(path, "cannot read");
  SortOutput output(session, options.output);
  const std::size_t threads = thread_count(options);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  std::optional<ZstdOutput> packed;
  std::optional<CountOutput> counted;
  std::optional<DebugOutput> annotated;
  LineOutput* lines = &output;
  if (options.packs_output) lines = &packed.emplace(*lines);
  if (options.counts) lines = &counted.emplace(options.order, *lines);
  if (options.debug) lines = &annotated.emplace(options.order, *lines);
  arena.execute([&] { sort_inputs(options, output, *lines, session); });
  if (counted) counted->finish();
  if (packed) packed->finish();
  output.finish(options.inputs);
  return ExitCode::kDone;
}

ExitCode print_plan(const SortOptions& options, Session& session) {
  for (const std::string& path : options.inputs) check_input(path, "cannot read");
  static_cast<void>(sorter_named(options.sorter));
  const std::optional<PackedInputs> packed = find_packed(options, session);
  const LineSortShape shape = sort_shape(options, packed, session.files);
  const std::size_t own = tbb::task_arena(static_cast<int>(shape.threads)).execute([] { return unsorted_memory(); });
  const std::size_t for_lines = std::max(shape.memory_bytes, own + (std::size_t{4} << 20)) - own;
  const std::string sorter = options.sorter == "auto" ? "multikey quicksort of parts" : options.sorter;
  session.out.write(describe_sort_plan(shape, plan_sort_gpu(options, shape), sorter, for_lines));
  return ExitCode::kDone;
}

// Calls action(options, session), and reports errors as GNU sort does.
template <typename Action>
ExitCode run_with_options(const Command& command, const std::vector<std::string>& words, Session& session,
                          const Action& action) {
  const std::string hint = session.is_called_sort ? "sort" : "spillway " + command.name;
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
    if (error.shows_hint()) std::fprintf(stderr, "Try '%s --help' for more information.\n", hint.c_str());
  } catch (const PlacedFileError& error) {
    print_error(session, error.action + " failed: " + quoted_name(error.path) + ": " + std::strerror(error.number));
  } catch (const Error& error) {
    print_error(session, error.what());
  }
  return ExitCode::kUsageOrIo;
}

ExitCode run_sort(const std::vector<std::string>& words, Session& session) {
  return run_with_options(sort_command(), words, session, sort_files);
}

ExitCode run_plan(const std::vector<std::string>& words, Session& session) {
  return run_with_options(plan_sort_command(), words, session, print_plan);
}

boost::program_options::options_description ordering_options() {
  auto group = option_group("Order");
  add_flag(group, "ignore-leading-blanks,b", "ignore blanks before a key");
  add_flag(group, "dictionary-order,d", "compare only blanks, letters and digits");
  add_flag(group, "ignore-case,f", "compare lower case letters as upper case");
  add_flag(group, "general-numeric-sort,g", "compare numbers as strtold() reads them: 1e3, 0x1p4, inf, nan");
  add_flag(group, "ignore-nonprinting,i", "compare only printable characters");
  add_flag(group, "month-sort,M", "compare months: anything else < JAN < ... < DEC");
  add_flag(group, "human-numeric-sort,h", "compare numbers with units: 2K < 1G");
  add_flag(group, "numeric-sort,n", "compare decimal numbers of any length");
  add_flag(group, "random-sort,R", "shuffle, with equal keys together");
  add_value(group, "random-source", "FILE", "take the random bytes from FILE: the same bytes give the same order");
  add_flag(group, "reverse,r", "reverse the result of comparisons");
  add_choice(group, "sort", "WORD", {"general-numeric", "human-numeric", "month", "numeric", "random", "version"},
             "the same as -g, -h, -M, -n, -R, -V");
  add_flag(group, "version-sort,V", "compare numbers in text as numbers: a9 < a10");
  add_values(group, "key,k", "KEYDEF", "compare by a part of the line: F[.C][OPTS][,F[.C][OPTS]]; may be repeated");
  add_value(group, "field-separator,t", "SEP", "fields end at SEP, not before blanks");
  add_flag(group, "stable,s", "lines with equal keys keep their order");
  add_flag(group, "unique,u", "keep the first of lines with equal keys; with -c: want strict order");
  return group;
}

boost::program_options::options_description work_options() {
  auto group = option_group("Work");
  add_choice(group, "check,c", "WORD", {"diagnose-first", "quiet", "silent"},
             "check whether the input is sorted (exit code 1: it is not); -C and --check=quiet do not say where");
  add_flag(group, "merge,m", "merge inputs, each of which is sorted");
  add_value(group, "output,o", "FILE", "write to FILE, which may be an input, not to standard output");
  add_flag(group, "count", "put out the first of lines with equal keys after their number, as uniq -c does");
  add_choice(group, "output-compress", "WORD", {"none", "zstd"}, "zstd: pack the output");
  add_value(group, "files0-from", "FILE", "read the inputs that FILE names, each name ended by a zero byte");
  add_flag(group, "zero-terminated,z", "lines end with a zero byte, not with a line feed");
  add_choice(group, "unpack", "WORD", {"auto", "never"},
             "auto: unpack inputs that gzip or zstd packed (default, but not under the name sort)");
  add_flag(group, "debug", "show what is compared in each line, and warn of questionable options");
  return group;
}

boost::program_options::options_description resource_options() {
  auto group = option_group("Resources");
  add_value(group, "buffer-size,S", "SIZE", "memory: KiB, or with a unit of b K M G T P E Z Y %");
  add_value(group, "memory", "SIZE", "limit of all memory of the process (default: half of what is available)");
  add_values(group, "temporary-directory,T", "DIR", "put scratch files there; may be repeated");
  add_value(group, "temp-limit", "SIZE", "limit of the scratch files");
  add_value(group, "parallel", "N", "threads (default: one per usable processor)");
  add_value(group, "batch-size", "N", "merge at most N runs or inputs at once");
  add_value(group, "compress-program", "PROGRAM", "accepted; scratch files are compressed without it");
  add_value(group, "block-bytes", "SIZE", "for tests: memory of the lines that are sorted at once");
  add_value(group, "sorter", "NAME",
            "auto, cpu-msd or cpu-multikey; on a GPU: gpu-string-radix, gpu-string-merge or hybrid-msd");
  add_value(group, "gpu", "IDS", "auto (default): sort on GPUs if that is sooner; never; or the numbers of GPUs: 0,1");
  add_value(group, "gpu-memory", "SIZE", "memory to use on each GPU (default: four fifths of what is free)");
  return group;
}

}  // namespace

Command sort_command() {
  Command command;
  command.name = "sort";
  command.summary = "sort lines, in memory or out of core, with the options of GNU sort";
  command.examples = {
      {"spillway sort words.txt -o sorted.txt", "sort the lines of a file by their bytes"},
      {"spillway sort -t, -k2,2n -k1,1 table.csv", "by a number in the second field, then by the first"},
      {"du -h | spillway sort -h", "numbers with units"}};
  command.operands = "INPUT... [OPTIONS]";
  command.notes =
      "\nWithout INPUT, or for an INPUT of -, reads standard input. Bytes are compared as in the C locale. KEYDEF "
      "gives\n"
      "the begin and the end of a key: field F and byte C in it, counted from 1, and letters of [bdfgiMhnRrV], which\n"
      "replace the options for whole lines. If the program is installed under the name sort, it is this command.";
  for (const auto& group : {ordering_options(), work_options(), resource_options()}) command.groups.push_back(group);
  command.max_operands = std::numeric_limits<std::size_t>::max();
  command.exit_codes = {{ExitCode::kBadIndex, "-c or -C: the input is not sorted"}};
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
