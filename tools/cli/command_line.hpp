// From the words of a command line to an exit code: finds the command, parses its options, runs it and says on standard
// error what went wrong.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.hpp"

namespace spillway {

// All commands, in the order in which the help lists them. One factory per file tools/command_<name>.cpp.
Command index_command();
Command merge_command();
Command search_command();
Command stats_command();
Command verify_command();
Command dump_command();
Command doc_command();
Command generate_text_command();
Command generate_keys_command();
Command generate_strings_command();
Command bench_sort_records_command();
Command bench_sort_strings_command();
Command bench_modes_command();
Command bench_calibrate_command();
Command plan_command();
Command doctor_command();
Command manual_command();  // for builds: the help does not list it
std::vector<Command> all_commands();

// Never throws. `words` without the program's name. Output is flushed.
int run_command_line(const std::vector<std::string>& words, Session& session);

// Messages of the program's own: "spillway: " and the text, one line on standard error.
void print_message(const std::string& text);

}  // namespace spillway
