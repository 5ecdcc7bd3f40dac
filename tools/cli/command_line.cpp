#include "tools/cli/command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <new>
#include <string_view>
#include <system_error>

#include "tools/cli/build_facts.hpp"

namespace spillway {

namespace {

std::vector<std::string> split_words(const std::string& name) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find(' ', begin), name.size());
    words.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string program_help(const std::vector<Command>& commands) {
  std::string help =
      "spillway: builds inverted indexes from corpora that do not fit in memory, and searches them\n\n"
      "Examples:\n"
      "  spillway index docs.jsonl -o docs.index\n"
      "        index a file of JSON objects, one per line\n"
      "  spillway search docs.index \"out of core sorting\"\n"
      "        the ten best documents for a query\n"
      "  spillway stats docs.index\n"
      "        what the index holds\n\n"
      "Usage: spillway COMMAND [ARGUMENTS]\n\nCommands:\n";
  std::size_t width = 0;
  for (const Command& command : commands) width = std::max(width, command.name.size());
  for (const Command& command : commands) {
    if (command.is_for_builds) continue;
    help += "  " + command.name + std::string(width - command.name.size() + 2, ' ') + command.summary + "\n";
  }
  return help +
         "\n'spillway help COMMAND' and 'spillway COMMAND --help' show examples, options and exit codes;\n"
         "'spillway --version' (-V) shows the version.\n";
}

// The command whose name is a prefix of the words.
const Command* find_command(const std::vector<Command>& commands, const std::vector<std::string>& words) {
  for (const Command& command : commands) {
    const std::vector<std::string> name = split_words(command.name);
    if (name.size() <= words.size() && std::equal(name.begin(), name.end(), words.begin())) return &command;
  }
  return nullptr;
}

// Commands whose names begin with the words: "corpus generate keys" for "corpus".
std::vector<const Command*> find_family(const std::vector<Command>& commands, const std::vector<std::string>& words) {
  std::string beginning;
  for (const std::string& word : words) {
    if (word.starts_with('-')) break;
    beginning += word + " ";
  }
  std::vector<const Command*> family;
  for (const Command& command : commands) {
    if (!beginning.empty() && command.name.starts_with(beginning)) family.push_back(&command);
  }
  return family;
}

std::string family_help(const std::vector<const Command*>& family) {
  std::string help;
  for (const Command* command : family) help += (help.empty() ? "" : "\n") + help_text(*command);
  return help;
}

[[noreturn]] void refuse_command(const std::vector<Command>& commands, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  std::string of_family;
  for (const Command& command : commands) {
    if (command.name.starts_with(words.front() + " "))
      of_family += (of_family.empty() ? "'" : ", '") + command.name + "'";
    names.push_back(split_words(command.name).front());
  }
  if (!of_family.empty()) throw UsageError("the command is one of " + of_family);
  std::string message = "unknown command '" + printable(words.front()) + "'";
  if (const auto near = nearest_name(words.front(), names)) message += "; did you mean '" + *near + "'?";
  throw UsageError(message + " ('spillway --help' lists all)");
}

ExitCode write_version(Session& session) {
  session.out.write(std::string("spillway ") + kVersion + "\n");
  return ExitCode::kDone;
}

ExitCode run_command(const Command& command, const std::vector<std::string>& options, Session& session) {
  if (command.run_words) return command.run_words(command, options, session);
  const Arguments arguments = parse_arguments(command, options);
  if (arguments.has("version")) return write_version(session);
  if (!arguments.has("help")) return command.run(arguments, session);
  session.out.write(help_text(command));
  return ExitCode::kDone;
}

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }
bool is_version(const std::string& word) { return word == "--version" || word == "-V"; }

// The help of the command or family that `words` name; of the program if they name none.
ExitCode write_help(const std::vector<std::string>& words, const std::vector<Command>& commands, Session& session) {
  if (words.empty() || words.front() == "help" || is_help(words.front())) {
    session.out.write(program_help(commands));
    return ExitCode::kDone;
  }
  const Command* const command = find_command(commands, words);
  if (command != nullptr && split_words(command->name).size() == words.size()) {
    session.out.write(help_text(*command));
    return ExitCode::kDone;
  }
  if (command != nullptr) throw UsageError("'" + printable(words.back()) + "' is one word too many after 'help'");
  const auto family = find_family(commands, words);
  if (family.empty()) refuse_command(commands, words);
  session.out.write(family_help(family));
  return ExitCode::kDone;
}

// Sets `name` to the command's name as soon as it is known.
ExitCode dispatch(const std::vector<std::string>& words, const std::vector<Command>& commands, Session& session,
                  std::string& name) {
  if (words.empty()) throw UsageError("no command given; 'spillway --help' lists all");
  const std::string& first = words.front();
  if (first == "help" || is_help(first)) return write_help({words.begin() + 1, words.end()}, commands, session);
  if (is_version(first)) return write_version(session);
  if (const Command* command = find_command(commands, words)) {
    name = command->name;
    const auto skipped = static_cast<std::ptrdiff_t>(split_words(name).size());
    return run_command(*command, {words.begin() + skipped, words.end()}, session);
  }
  if (const auto family = find_family(commands, words); !family.empty()) {
    if (std::any_of(words.begin(), words.end(), is_version)) return write_version(session);
    if (std::any_of(words.begin(), words.end(), is_help)) {
      session.out.write(family_help(family));
      return ExitCode::kDone;
    }
  }
  refuse_command(commands, words);
}

std::string no_thread_message(bool is_sort) {
  return std::string("the system cannot start more threads; give fewer ") +
         (is_sort ? "--parallel (1 starts none)" : "--threads") +
         ", or raise its limits (ulimit -u, ulimit -v, the cgroup's pids.max)";
}

// Writes what the command produced before its error. Ignores a second error: the first is reported.
void flush_quietly(Output& out) {
  try {
    out.flush();
  } catch (const Error&) {
    return;
  }
}

}  // namespace

bool is_lack_of_threads(const std::exception& error) {
  const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
  if (of_system != nullptr) return of_system->code() == std::errc::resource_unavailable_try_again;
  return std::string_view(error.what()).starts_with("pthread_create has failed");  // as oneTBB words it
}

int run_command_line(const std::vector<std::string>& words, const std::vector<Command>& commands, Session& session) {
  std::string name;
  // `sort` has the options and the exit codes of GNU sort.
  const bool is_sort = session.is_called_sort || (!words.empty() && words.front() == "sort");
  const auto fail = [&](ExitCode code, const std::string& message) {
    flush_quietly(session.out);
    if (session.is_called_sort) {
      std::fprintf(stderr, "sort: %s\n", printable(message, std::numeric_limits<std::size_t>::max()).c_str());
    } else {
      print_message((name.empty() ? "" : name + ": ") + message);
    }
    return static_cast<int>(code);
  };
  try {
    const ExitCode code = dispatch(words, commands, session, name);
    session.out.flush();
    return static_cast<int>(code);
  } catch (const InterruptedError& error) {
    const bool is_quiet = error.code() == ExitCode::kPipeClosed || session.is_called_sort;
    if (!is_quiet) return fail(error.code(), error.what());
    return static_cast<int>(error.code());  // as a program that the signal ends
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(is_sort ? ExitCode::kUsageOrIo : ExitCode::kOverBudget,
                "out of memory; a smaller --memory leaves more room for what it does not bound");
  } catch (const std::system_error& error) {
    if (is_lack_of_threads(error)) return fail(ExitCode::kUsageOrIo, no_thread_message(is_sort));
    return fail(ExitCode::kUsageOrIo, printable(error.what(), 1000));
  } catch (const std::exception& error) {
    if (is_lack_of_threads(error)) return fail(ExitCode::kUsageOrIo, no_thread_message(is_sort));
    return fail(ExitCode::kUsageOrIo, "unexpected: " + printable(error.what(), 1000));
  }
}

}  // namespace spillway
