// The commands of the program. Each factory stands in a file of its own, tools/commands/<name>.cpp or command*.cpp in
// the room of a larger command; a new command is declared here and listed in all_commands().
#pragma once

#include <vector>

#include "tools/cli/command.hpp"

namespace spillway {

Command index_command();
Command append_command();
Command delete_command();
Command merge_command();
Command search_command();
Command stats_command();
Command status_command();
Command verify_command();
Command dump_command();
Command doc_command();
Command sort_command();
Command export_command();
Command import_command();
Command generate_text_command();
Command generate_keys_command();
Command generate_strings_command();
Command bench_sort_records_command();
Command bench_sort_strings_command();
Command bench_modes_command();
Command bench_calibrate_command();
Command bench_paper_command();
Command bench_report_command();
Command plan_command();
Command plan_sort_command();
Command doctor_command();
Command manual_command();

// Runs `sort` with these words, as its command does, but throws its errors (SortError, IoError, BudgetError, ...) where
// the command prints them. kBadIndex: -c or -C, and the input is not sorted.
ExitCode sort_lines(const std::vector<std::string>& words, Session& session);

// In the order in which the help lists them.
std::vector<Command> all_commands();

}  // namespace spillway
