#include "tools/commands/sort/options/options.hpp"

#include <getopt.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <limits>
#include <random>

#include "io/memory/budget.hpp"
#include "io/memory/limits.hpp"
#include "tools/cli/option_table.hpp"
#include "tools/cli/option_values.hpp"
#include "tools/commands/sort/options/collate.hpp"
#include "tools/commands/sort/options/gnu_options.hpp"
#include "tools/commands/sort/options/names_file.hpp"
#include "tools/commands/sort/options/record_options.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

namespace {

constexpr int kFirstLong = 256;
constexpr std::uint64_t kLeastBlock = 16384;

void set_once(std::string& value, bool& is_set, const char* text, const char* plural) {
  if (is_set && value != text) throw SortError("multiple " + std::string(plural) + " specified");
  value = text;
  is_set = true;
}

bool takes_obsolescent_keys() {
  const char* const version = std::getenv("_POSIX2_VERSION");
  if (version == nullptr || *version == '\0') return true;
  char* end = nullptr;
  const long value = std::strtol(version, &end, 10);
  return *end != '\0' || !(value >= 200112 && value < 200809);
}

// Calls getopt_long() with the options of the command's table, and keeps what it finds.
class OptionReader {
 public:
  OptionReader(const Command& command, const std::vector<std::string>& words, const std::string& program);
  SortOptions read();
  const std::optional<std::string>& names_file() const { return names_file_; }
  const RecordOptions& records() const { return records_; }
  std::optional<std::string> random_source() const {
    return has_random_ ? std::optional(random_source_) : std::nullopt;
  }

 private:
  void take(int option, int long_index);
  void take_long(const std::string& name);
  void take_gpus(const std::string& text);
  void take_operand(const std::string& text);
  bool operands_only(int last) const;
  std::string shown(char letter, int long_index) const;
  void choose_table();

  std::vector<std::string> words_;
  std::vector<char*> arguments_;
  std::vector<OptionText> table_;
  std::vector<option> all_options_, gnu_options_;
  const option* long_options_ = nullptr;  // those that the next word may mean
  std::string short_options_ = "-y:";
  SortOptions options_;
  std::string output_, random_source_;
  std::optional<std::string> names_file_;
  RecordOptions records_;
  bool has_output_ = false, has_random_ = false, has_compress_ = false;
  bool is_posix_ = std::getenv("POSIXLY_CORRECT") != nullptr, takes_obsolescent_ = takes_obsolescent_keys();
};

OptionReader::OptionReader(const Command& command, const std::vector<std::string>& words, const std::string& program)
    : words_(words) {
  words_.insert(words_.begin(), program);
  for (std::string& word : words_) arguments_.push_back(word.data());
  arguments_.push_back(nullptr);
  for (const OptionGroupText& group : option_table(command)) {
    table_.insert(table_.end(), group.options.begin(), group.options.end());
  }
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const OptionText& row = table_[i];
    const bool has_value = !row.value_name.empty();
    const int form = row.long_name == "--check" ? optional_argument : has_value ? required_argument : no_argument;
    const char letter = row.short_name.empty() ? '\0' : row.short_name[1];
    all_options_.push_back({row.long_name.c_str() + 2, form, nullptr,
                            letter != '\0' && form != optional_argument ? letter : kFirstLong + static_cast<int>(i)});
    if (letter == '\0') continue;
    short_options_ += letter;
    if (has_value && form != optional_argument) short_options_ += ':';
  }
  for (const std::string_view name : kGnuOptions) {
    const auto found = std::ranges::find_if(all_options_, [&](const option& one) { return one.name == name; });
    if (found != all_options_.end()) gnu_options_.push_back(*found);
  }
  all_options_.push_back({});
  gnu_options_.push_back({});
  short_options_ += 'C';
}

void OptionReader::choose_table() {
  const auto next = static_cast<std::size_t>(std::max(optind, 1));
  const std::string_view word = next < words_.size() ? std::string_view(arguments_[next]) : "";
  const std::string_view name = word.substr(std::min<std::size_t>(word.size(), 2), word.find('=') - 2);
  const auto begins_so = [&](const option& one) {
    return one.name != nullptr && std::string_view(one.name).starts_with(name);
  };
  const auto is_named = [&](const option& one) { return one.name != nullptr && one.name == name; };
  const bool is_addition = !is_of_gnu(name) && std::ranges::any_of(all_options_, is_named);
  const bool is_gnu = !is_addition && std::ranges::any_of(gnu_options_, begins_so);
  long_options_ = is_gnu ? gnu_options_.data() : all_options_.data();
}

// As POSIX wants it, if the environment does: operands follow the options.
bool OptionReader::operands_only(int last) const {
  if (last == -1) return true;
  if (!is_posix_ || options_.inputs.empty()) return false;
  if (!takes_obsolescent_ || options_.check != SortCheck::kNone) return true;
  const auto next = static_cast<std::size_t>(optind);
  if (next >= words_.size() || !words_[next].starts_with("-o")) return true;
  return words_[next].size() == 2 && next + 1 == words_.size();
}

SortOptions OptionReader::read() {
  optind = 0;  // glibc: begins anew
  const int count = static_cast<int>(words_.size());
  for (int found = 0;;) {
    int long_index = -1;
    if (!operands_only(found)) {
      choose_table();
      found = getopt_long(count, arguments_.data(), short_options_.c_str(), long_options_, &long_index);
    } else {
      found = -1;
    }
    if (found != -1) {
      take(found, long_index);
      continue;
    }
    if (optind >= count) break;
    options_.inputs.emplace_back(arguments_[static_cast<std::size_t>(optind++)]);
  }
  if (has_output_) options_.output = output_;
  return std::move(options_);
}

std::string OptionReader::shown(char letter, int long_index) const {
  if (long_index < 0) return std::string("-") + letter;
  return std::string("--") + long_options_[long_index].name;
}

void OptionReader::take_operand(const std::string& text) {
  if (text.starts_with('+')) {
    const auto next = static_cast<std::size_t>(optind);
    const bool has_end = next < words_.size() && arguments_[next][0] == '-' &&
                         std::isdigit(static_cast<unsigned char>(arguments_[next][1])) != 0;
    takes_obsolescent_ |= has_end && !is_posix_;
    if (takes_obsolescent_) {
      if (const auto key = parse_obsolescent_key(text, has_end ? arguments_[next] : "")) {
        if (has_end) ++optind;
        options_.keys.push_back(*key);
        return;
      }
    }
  }
  options_.inputs.push_back(text);
}

void OptionReader::take(int option, int long_index) {
  const auto check = [&](SortCheck wanted) {
    if (options_.check != SortCheck::kNone && options_.check != wanted) {
      throw SortError("options '-cC' are incompatible");
    }
    options_.check = wanted;
  };
  const char letter = static_cast<char>(option < kFirstLong ? option : 0);
  const char flag[2] = {letter, '\0'};
  switch (option) {
    case 1:
      return take_operand(optarg);
    case 'c':
    case 'C':
      return check(option == 'c' ? SortCheck::kReport : SortCheck::kQuiet);
    case 'k':
      options_.keys.push_back(parse_key_definition(optarg));
      return;
    case 'm':
      options_.merges = true;
      return;
    case 'o':
      return set_once(output_, has_output_, optarg, "output files");
    case 's':
      options_.order.is_stable = true;
      return;
    case 'S':
      options_.buffer_bytes =
          std::max(options_.buffer_bytes.value_or(0), parse_buffer_size(shown('S', long_index), optarg));
      return;
    case 't': {
      const char separator = parse_separator(optarg);
      if (options_.order.field_separator.value_or(separator) != separator) throw SortError("incompatible tabs");
      options_.order.field_separator = separator;
      return;
    }
    case 'T':
      options_.temp_directories.emplace_back(optarg);
      return;
    case 'u':
      options_.order.is_unique = true;
      return;
    case 'z':
      options_.order.format.line_end = '\0';
      return;
    case 'y':  // of old systems; without effect. A separate argument that is no number is an operand.
      if (optarg == arguments_[static_cast<std::size_t>(optind) - 1] &&
          std::string_view(optarg).find_first_not_of("0123456789") != std::string_view::npos) {
        --optind;
      }
      return;
    case '?':
      throw SortError("", true, true);  // getopt has told why
    default:
      break;
  }
  if (option >= kFirstLong) return take_long(table_[static_cast<std::size_t>(option - kFirstLong)].long_name.substr(2));
  set_key_flags(flag, options_.global, KeySide::kBoth);
}

void OptionReader::take_long(const std::string& name) {
  if (name == "sort") {
    const char flag[2] = {parse_sort_word(optarg), '\0'};
    set_key_flags(flag, options_.global, KeySide::kBoth);
  } else if (name == "check") {
    take(optarg == nullptr ? 'c' : parse_check_word(optarg), -1);
  } else if (name == "compress-program") {
    set_once(options_.compress_program, has_compress_, optarg, "compress programs");
  } else if (name == "random-source") {
    set_once(random_source_, has_random_, optarg, "random sources");
  } else if (name == "files0-from") {
    names_file_ = optarg;
  } else if (name == "parallel") {
    options_.threads = parse_thread_count(optarg);
  } else if (name == "batch-size") {
    options_.batch_size = parse_batch_size(optarg);
  } else if (name == "debug") {
    options_.debug = true;
  } else if (name == "help") {
    options_.asks_help = true;
  } else if (name == "version") {
    options_.asks_version = true;
  } else if (name == "memory") {
    options_.memory_bytes = parse_size("--memory", optarg, available_memory_bytes() / 2);
  } else if (name == "temp-limit") {
    options_.temp_limit_bytes = parse_size("--temp-limit", optarg);
  } else if (name == "block-bytes") {
    options_.block_bytes = std::max<std::uint64_t>(parse_size("--block-bytes", optarg), kLeastBlock);
  } else if (name == "count") {
    options_.counts = true;
  } else if (name == "head") {
    options_.head = parse_count("--head", optarg);
  } else if (name == "collate") {
    options_.collate = optarg;
  } else if (name == "record-size") {
    records_.record_bytes = parse_count("--record-size", optarg);
  } else if (name == "key-size") {
    records_.key_bytes = parse_count("--key-size", optarg);
  } else if (name == "key-offset") {
    records_.key_offset = parse_count("--key-offset", optarg);
  } else if (name == "json") {
    options_.report_path = optarg;
  } else if (name == "force") {
    options_.replaces_report = true;
  } else if (name == "direct-io") {
    options_.is_direct = true;
  } else if (name == "resumable") {
    options_.is_resumable = true;
  } else if (name == "restart") {
    options_.restarts = true;
  } else if (name == "progress") {
    options_.shows_progress = true;
  } else if (name == "output-compress") {
    options_.output_packing = parse_output_packing(optarg);
  } else if (name == "unpack") {
    options_.unpacking = parse_unpack_word(optarg) ? SortUnpacking::kAuto : SortUnpacking::kNever;
  } else if (name == "sorter") {
    options_.sorter = optarg;
  } else if (name == "gpu") {
    take_gpus(optarg);
  } else if (name == "gpu-memory") {
    options_.gpu_memory_bytes = parse_size("--gpu-memory", optarg);
  }
}

void OptionReader::take_gpus(const std::string& text) {
  options_.uses_gpu = text != "never";
  options_.gpus.clear();
  if (text == "never" || text == "auto") return;
  for (const std::string& id : parse_list("--gpu", text)) {
    options_.gpus.push_back(static_cast<int>(parse_count("--gpu", id, 0, 1023)));
  }
}

void draw_salt(LineOrder& order) {
  std::random_device random;
  for (std::uint8_t& byte : order.random_salt) byte = static_cast<std::uint8_t>(random());
}

void read_salt(const std::string& path, LineOrder& order, FileSystem& files) {
  if (path != "-" && !files.status(path))
    throw SortError("open failed: " + quoted_name(path) + ": No such file or directory");
  const auto stream = files.open_stream(path);
  for (std::size_t done = 0; done < order.random_salt.size();) {
    const std::size_t got = stream->read(std::span(order.random_salt).subspan(done));
    if (got == 0) throw SortError(quoted_name(path) + ": end of file");
    done += got;
  }
}

void inherit_global_flags(SortOptions& options) {
  for (SortKeyText& key : options.keys) {
    if (key.flags.are_default() && !key.flags.r) key.flags = options.global;
  }
  if (options.keys.empty() && !options.global.are_default()) {
    options.has_global_key = true;
    SortKeyText key;
    key.flags = options.global;
    options.keys.push_back(key);
  }
}

void refuse_options_of_lines(const SortOptions& options) {
  const auto refuse = [](const std::string& option, const char* reason) {
    throw SortError("options '--record-size " + option + "' are incompatible: " + reason);
  };
  constexpr const char* kBytesDecide = "records are compared by their bytes from --key-offset on";
  if (!options.keys.empty() && !options.has_global_key) refuse("-k", kBytesDecide);
  if (options.has_global_key) refuse("-" + key_letters(options.global), kBytesDecide);
  if (options.order.field_separator) refuse("-t", kBytesDecide);
  if (options.order.format.line_end == '\0') refuse("-z", "records have no ends");
  if (options.counts) refuse("--count", "a number would change the size of a record");
  if (options.debug) refuse("--debug", "records are no text");
  if (options.collate) refuse("--collate", "records are no text");
}

}  // namespace

SortOptions parse_sort_options(const Command& command, const std::vector<std::string>& words,
                               const std::string& program, FileSystem& files) {
  OptionReader reader(command, words, program);
  SortOptions options = reader.read();
  if (options.asks_help || options.asks_version) return options;
  if (reader.names_file()) {
    refuse_inputs_with_names(options.inputs);
    options.inputs = read_names(*reader.names_file(), files);
  }
  inherit_global_flags(options);
  bool is_random = false;
  for (const SortKeyText& key : options.keys) {
    options.order.keys.push_back(line_key(key));
    is_random |= key.flags.R;
  }
  options.order.is_reversed = options.global.r;
  if (reader.records().record_bytes) refuse_options_of_lines(options);
  use_records(reader.records(), options.order);
  if (options.counts) {  // the first of equal lines is put out, after all of them were counted
    options.order.is_stable = true;
    options.order.is_unique = false;
  }
  if (options.collate) use_collation(*options.collate, options.order);
  if (is_random && reader.random_source()) {
    read_salt(*reader.random_source(), options.order, files);
  } else if (is_random) {
    options.draws_salt = true;
    draw_salt(options.order);
  }
  if (options.inputs.empty()) options.inputs.emplace_back("-");
  return options;
}

}  // namespace spillway
