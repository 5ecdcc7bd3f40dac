#include "tools/commands/sort/resume.hpp"

#include <algorithm>
#include <array>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "tools/cli/build_facts.hpp"

namespace spillway {

namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& reason) {
  throw SortError("options '--resumable " + option + "' are incompatible: " + reason);
}

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

// Field and byte as -k has them, where 0 means all of the field at the end, and its first byte at the begin.
std::string field_text(std::size_t field, std::size_t byte) {
  return std::to_string(field + 1) + (byte == 0 ? "" : "." + std::to_string(byte));
}

std::string letters(const KeyRule& rule) {
  constexpr const char* kKinds[] = {"", "n", "g", "h", "M", "R", "V"};
  constexpr const char* kIgnored[] = {"", "i", "d"};
  return std::string(kKinds[static_cast<std::size_t>(rule.kind)]) + kIgnored[static_cast<std::size_t>(rule.ignored)] +
         (rule.folds_case ? "f" : "") + (rule.is_reversed ? "r" : "");
}

// As -k would have it.
std::string key_text(const LineKey& key) {
  const KeyPlace& place = key.place;
  const std::size_t field = place.begin_field == KeyPlace::kWhole ? 0 : place.begin_field;
  std::string text = field_text(field, place.begin_byte == 0 ? 0 : place.begin_byte + 1);
  text += letters(key.rule) + (place.skips_blanks_at_begin ? "b" : "");
  if (place.end_field == KeyPlace::kWhole) return text;
  return text + "," + field_text(place.end_field, place.end_byte) + (place.skips_blanks_at_end ? "b" : "");
}

std::string keys_text(const LineOrder& order) {
  std::string text;
  for (const LineKey& key : order.keys) text += (text.empty() ? "" : " ") + key_text(key);
  return text.empty() ? "whole lines" : text;
}

std::string collation_text(const SortOptions& options) {
  if (options.order.collation == nullptr) return "bytes";
  return *options.collate + " (" + options.order.collation->version() + ")";
}

std::string packing_text(SortPacking packing) {
  constexpr const char* kNames[] = {"none", "gzip", "zstd"};
  return kNames[static_cast<std::size_t>(packing)];
}

// Everything that changes the bytes of the output, or those of runs.
SortDescription describe(const SortOptions& options, const std::optional<PackedInputs>& packed) {
  const LineOrder& order = options.order;
  SortDescription sort;
  sort.release = kVersion;
  sort.options = {
      {"the format of runs", std::to_string(kRunFormat)},
      {"--collate", collation_text(options)},
      // Before those that they set, too.
      {"--record-size", std::to_string(order.format.record_bytes)},
      {"--count", yes_or_no(options.counts)},
      {kKeysName, keys_text(order)},
      {"-t", order.field_separator ? std::string(1, *order.field_separator) : "blanks"},
      {"-r", yes_or_no(order.is_reversed)},
      {"-s", yes_or_no(order.is_stable)},
      {"-u", yes_or_no(order.is_unique)},
      {"-z", yes_or_no(order.format.line_end == '\0')},
      {"the hash of --random-source", to_hex(hash128(order.random_salt))},
      {"--unpack", packed ? "auto" : "never"},
      {kPackedInputsName, std::to_string(packed ? packed->count() : 0)},
      {"--output-compress", packing_text(options.output_packing)},
  };
  return sort;
}

[[noreturn]] void refuse_input(const std::string& path) {
  throw SortError("--resumable needs inputs that can be read again, and " +
                  (path == "-" ? "standard input" : quoted_name(path)) +
                  " cannot (a pipe, or a file without a size): copy it to a file first");
}

// A file of /proc has no size, and a text that is made when it is read.
bool is_empty(FileSystem& files, const std::string& path) {
  std::array<std::uint8_t, 1> byte{};
  return files.open_stream(path)->read(byte) == 0;
}

void add_inputs(SortDescription& sort, const std::vector<std::string>& inputs, FileSystem& files) {
  for (const std::string& path : inputs) {
    const auto status = path == "-" ? std::nullopt : files.status(path);
    if (!status || status->type != FileType::kRegular) refuse_input(path);
    if (status->size == 0 && !is_empty(files, path)) refuse_input(path);
    sort.inputs.add(
        {std::to_string(status->size) + " bytes, modified at " + std::to_string(status->modified_ns) + " ns", path},
        status->size);
  }
}

void check_output(const SortOptions& options, const SortOutput& output, FileSystem& files) {
  const auto status = files.status(*options.output);
  if (status && status->type != FileType::kRegular) {
    throw SortError("--resumable needs an output that is a file, and " + quoted_name(*options.output) + " is " +
                    std::string(name_of(status->type)));
  }
  for (const std::string& path : options.inputs) {
    if (!output.overwrites(path)) continue;
    throw SortError("--resumable cannot be used here: the output would overwrite the input " + quoted_name(path) +
                    " in place, and a sort that was interrupted meanwhile could not read it again; name another file");
  }
}

}  // namespace

void refuse_with_resumable(const SortOptions& options) {
  if (options.restarts && !options.is_resumable) throw SortError("--restart needs --resumable");
  if (!options.is_resumable) return;
  if (options.check != SortCheck::kNone) refuse("-c", "a check has nothing to keep");
  if (options.merges) refuse("-m", "a merge of sorted inputs has nothing to keep");
  if (options.debug) refuse("--debug", "it writes to standard output");
  if (options.head) refuse("--head", "the first lines are found in one go, from the begin; leave one of them out");
  if (options.draws_salt) refuse("-R", "another order would be drawn; add --random-source FILE");
  if (!options.output) throw SortError("--resumable needs -o FILE: what is done is kept in FILE.work");
}

std::unique_ptr<KeptRuns> keep_runs(const SortOptions& options, const std::optional<PackedInputs>& packed,
                                    const SortOutput& output, Session& session) {
  if (!options.is_resumable) return nullptr;
  check_output(options, output, session.files);
  SortDescription sort = describe(options, packed);
  add_inputs(sort, options.inputs, session.files);
  const auto interrupted = options.restarts ? InterruptedSort::kDiscard : InterruptedSort::kGoOn;
  return std::make_unique<KeptRuns>(session.files, session.files.resolve(*options.output) + ".work", std::move(sort),
                                    interrupted);
}

}  // namespace spillway
