// What a command of the program is: its place in the help, its table of options (Boost.program_options) and the
// function that runs it. The table is the only description of the options: parsing and help both come from it.
#pragma once

#include <atomic>
#include <boost/program_options.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/base/error.hpp"
#include "io/file/file_system.hpp"
#include "tools/cli/output.hpp"

namespace spillway {

// Parsed options of one command. Values are text; tools/cli/option_values.hpp turns them into numbers.
class Arguments {
 public:
  explicit Arguments(boost::program_options::variables_map values) : values_(std::move(values)) {}

  bool has(const std::string& option) const { return values_.count(option) != 0; }
  std::optional<std::string> text(const std::string& option) const;
  std::vector<std::string> texts(const std::string& option) const;  // of an option that may be repeated
  const std::vector<std::string>& operands() const { return operands_; }
  // These, and one option as if it had been given with this value, also where it was not.
  Arguments with(const std::string& option, const std::string& value) const;

 private:
  friend class CommandParser;
  boost::program_options::variables_map values_;
  std::vector<std::string> operands_;
};

// What a command may use of the world outside.
struct Session {
  FileSystem& files;
  Output& out;                      // standard output: data only
  std::atomic<int>& signal_number;  // not 0: stop
};

struct Example {
  std::string command, meaning;
};

struct Command {
  std::string name;  // one or more words: "index", "corpus generate text"
  std::string summary;
  std::vector<Example> examples;
  std::string operands;  // for the usage line: "INPUT... -o DIR"
  std::string notes;     // words about operands and output below the usage line; may be empty
  std::vector<boost::program_options::options_description> groups;
  std::size_t min_operands = 0, max_operands = 0;
  std::vector<std::pair<ExitCode, std::string>> exit_codes;  // beside kDone and kUsageOrIo
  bool is_for_builds = false;                                // not listed in help, manual page and completions
  std::function<ExitCode(const Arguments&, Session&)> run;
};

// Options as the tables write them: a group, and in it a flag, a value, a value that may be given several times.
boost::program_options::options_description option_group(const char* caption);
void add_flag(boost::program_options::options_description& group, const char* names, const char* meaning);
void add_value(boost::program_options::options_description& group, const char* names, const char* value_name,
               const char* meaning);
void add_values(boost::program_options::options_description& group, const char* names, const char* value_name,
                const char* meaning);

// Throws UsageError naming the option at fault and, for an unknown one, the nearest known.
Arguments parse_arguments(const Command& command, const std::vector<std::string>& words);

std::string help_text(const Command& command);

// The known name nearest to `name`, if it is near enough to be meant.
std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace spillway
