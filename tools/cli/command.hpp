// A command of the program: its texts for the help, its table of options (Boost.program_options) and the function that
// runs it. Parsing, help, manual page and completions all come from the table.
#pragma once

#include <atomic>
#include <boost/program_options.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/base/error.hpp"
#include "io/file/file_system.hpp"
#include "tools/cli/output.hpp"

namespace spillway {

// The parsed options of one command. Values are text; tools/cli/option_values.hpp converts them.
class Arguments {
 public:
  explicit Arguments(boost::program_options::variables_map values) : values_(std::move(values)) {}

  bool has(const std::string& option) const { return values_.count(option) != 0; }
  std::optional<std::string> text(const std::string& option) const;
  std::vector<std::string> texts(const std::string& option) const;  // for an option that may be repeated
  const std::vector<std::string>& operands() const { return operands_; }
  // The names that the value of `option` may have. Requires: an option of add_choice.
  const std::vector<std::string>& choices(const std::string& option) const { return choices_.at(option); }
  // A copy in which `option` has this value, whether it was given or not.
  Arguments with(const std::string& option, const std::string& value) const;

 private:
  friend class CommandParser;
  boost::program_options::variables_map values_;
  std::vector<std::string> operands_;
  std::map<std::string, std::vector<std::string>> choices_;
};

// A command's access to the outside world.
struct Session {
  FileSystem& files;
  Output& out;                      // standard output: data only
  std::atomic<int>& signal_number;  // nonzero: stop
  bool is_called_sort = false;      // the program runs under the name `sort`
};

struct Example {
  std::string command, meaning;
};

struct Command {
  std::string name;  // one or more words: "index", "corpus generate text"
  std::string summary;
  std::vector<Example> examples;
  std::string operands;                      // for the usage line: "INPUT... -o DIR"
  std::vector<std::string> operand_choices;  // names that an operand may have, for completions
  std::string notes;                         // text below the usage line; may be empty
  std::vector<boost::program_options::options_description> groups;
  std::size_t min_operands = 0, max_operands = 0;
  std::vector<std::pair<ExitCode, std::string>> exit_codes;  // besides kDone and kUsageOrIo
  bool is_for_builds = false;  // or an option of another command: not listed in help, manual page and completions
  std::function<ExitCode(const Arguments&, Session&)> run;
  // Instead of run(): the command, which is given to it, reads its words itself. -h and -V then have meanings of its
  // own.
  std::function<ExitCode(const Command&, const std::vector<std::string>&, Session&)> run_words;
};

// For the tables of options: a group, and in it a flag, an option with a value, one whose values add up, and one whose
// value is a name. The last one wins where a flag or an option is repeated, unless its values add up.
boost::program_options::options_description option_group(const char* caption);
void add_flag(boost::program_options::options_description& group, const char* names, const char* meaning);
void add_value(boost::program_options::options_description& group, const char* names, const char* value_name,
               const char* meaning);
void add_values(boost::program_options::options_description& group, const char* names, const char* value_name,
                const char* meaning);
// `choices`: names for completions to offer, and for take_choice() in the order of its enum. Nothing else is refused.
void add_choice(boost::program_options::options_description& group, const char* names, const char* value_name,
                const std::vector<std::string>& choices, const char* meaning);
// The choices of an option of add_choice; empty for any other.
std::vector<std::string> choices_of(const boost::program_options::option_description& option);

// Throws UsageError, which names the wrong option and, for an unknown one, the most similar known option.
Arguments parse_arguments(const Command& command, const std::vector<std::string>& words);

std::string help_text(const Command& command);

// The most similar of `known` by edit distance, if it is at most max(2, a third of the length of `name`) away. Names of
// more than 64 bytes have none. O(|name| * total length of `known`).
std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace spillway
