// The command line of `spillway sort`, read as GNU sort reads it: options and operands in any order, repeated options,
// keys with options of their own, the obsolescent +POS -POS.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"
#include "sort/lines/keys/order.hpp"
#include "tools/cli/command.hpp"
#include "tools/commands/sort/options/key_definition.hpp"
#include "tools/commands/sort/options/message.hpp"
#include "tools/commands/sort/options/values.hpp"

namespace spillway {

enum class SortCheck { kNone, kReport, kQuiet };
// kDefault: kAuto, but not under the name sort, nor for records.
enum class SortUnpacking { kDefault, kAuto, kNever };

struct SortOptions {
  LineOrder order;
  std::vector<SortKeyText> keys;  // as in `order`; for the warnings of --debug
  SortKeyFlags global;
  bool has_global_key = false;  // the only key is the whole line, with the global options
  std::vector<std::string> inputs;
  std::optional<std::string> output, collate;
  SortCheck check = SortCheck::kNone;
  SortUnpacking unpacking = SortUnpacking::kDefault;
  SortPacking output_packing = SortPacking::kNone;
  bool is_resumable = false, restarts = false;
  bool is_direct = false;   // inputs and output past the page cache
  bool draws_salt = false;  // -R without --random-source: each sort has another order
  bool merges = false, debug = false, counts = false, asks_help = false, asks_version = false;
  std::optional<std::uint64_t> buffer_bytes;  // -S
  std::optional<std::uint64_t> memory_bytes;  // --memory
  std::uint64_t temp_limit_bytes = 0, block_bytes = 0, gpu_memory_bytes = 0;
  std::vector<std::string> temp_directories;
  std::optional<std::uint64_t> head;  // lines of the output
  std::optional<std::string> report_path;
  bool replaces_report = false, shows_progress = false;
  std::size_t threads = 0;  // 0: one for each processor
  std::size_t batch_size = 0;
  std::string compress_program, sorter = "auto";
  bool uses_gpu = true;   // false: --gpu never
  std::vector<int> gpus;  // --gpu IDS
};

// `command` tells the options; `program` is for messages of getopt. Reads the file of --files0-from. Throws SortError.
SortOptions parse_sort_options(const Command& command, const std::vector<std::string>& words,
                               const std::string& program, FileSystem& files);

}  // namespace spillway
