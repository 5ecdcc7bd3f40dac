#include "tools/commands/commands.hpp"

namespace spillway {

std::vector<Command> all_commands() {
  return {index_command(),
          append_command(),
          delete_command(),
          merge_command(),
          search_command(),
          stats_command(),
          status_command(),
          verify_command(),
          dump_command(),
          doc_command(),
          sort_command(),
          export_command(),
          import_command(),
          generate_text_command(),
          generate_keys_command(),
          generate_strings_command(),
          bench_sort_records_command(),
          bench_sort_strings_command(),
          bench_modes_command(),
          bench_calibrate_command(),
          bench_paper_command(),
          bench_report_command(),
          plan_sort_command(),
          plan_command(),
          doctor_command(),
          manual_command()};
}

}  // namespace spillway
