#include "corpora/unpack/zip_file.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "corpora/unpack/zip_library.hpp"

namespace spillway {

namespace {

constexpr std::size_t kEndBytes = 22, kLocatorBytes = 20, kEnd64Bytes = 56;  // of the records at the end of a zip file
constexpr std::uint64_t kMaxCommentBytes = 65535;
// libzip takes about five times the directory.
constexpr std::uint64_t kMemoryPerByte = 8;

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

std::string read_at(const ReadableFile& file, std::uint64_t begin, std::uint64_t bytes) {
  std::string found(static_cast<std::size_t>(bytes), '\0');
  file.read_exactly(begin, {reinterpret_cast<std::uint8_t*>(found.data()), found.size()});
  return found;
}

// A directory as an end record states it.
struct Directory {
  std::uint64_t entries, bytes, begin;
  std::uint64_t record;  // where the end record is
};

// The end record at `at` of the last bytes of a file, which begin at `tail_begin`. A locator before it leads to the
// record that counts, of 64 bits.
std::optional<Directory> directory_at(const ReadableFile& file, std::string_view tail, std::size_t at,
                                      std::uint64_t tail_begin) {
  const std::uint64_t place = tail_begin + at;
  const bool has_locator = at >= kLocatorBytes && tail.substr(at - kLocatorBytes).starts_with("PK\6\7");
  if (!has_locator) {
    return Directory{little_endian(tail, at + 10, 2), little_endian(tail, at + 12, 4), little_endian(tail, at + 16, 4),
                     place};
  }
  const std::uint64_t end64 = little_endian(tail, at - kLocatorBytes + 8, 8);
  if (end64 > place || place - end64 < kEnd64Bytes) return std::nullopt;
  const std::string record = read_at(file, end64, kEnd64Bytes);
  return Directory{little_endian(record, 32, 8), little_endian(record, 40, 8), little_endian(record, 48, 8), end64};
}

// libzip tries every end record whose directory lies before it, and takes memory for the entries that it states.
bool is_tried(const Directory& directory) {
  return directory.bytes <= directory.record && directory.begin <= directory.record - directory.bytes;
}

// The bytes of all directories that libzip may hold; nullopt if there is none, or they cannot be those of a zip file.
// A zip file has several if another one is stored in it near its end.
std::optional<std::uint64_t> directory_bytes(const ReadableFile& file, std::uint64_t file_bytes) {
  constexpr std::uint64_t kEntryBytes = 46;  // the least
  const std::uint64_t tail_bytes = std::min<std::uint64_t>(file_bytes, kMaxCommentBytes + kEndBytes + kLocatorBytes);
  const std::string tail = read_at(file, file_bytes - tail_bytes, tail_bytes);
  std::optional<std::uint64_t> sum;
  for (std::size_t at = tail.find("PK\5\6"); at != std::string::npos; at = tail.find("PK\5\6", at + 1)) {
    if (tail.size() - at < kEndBytes) break;
    const auto directory = directory_at(file, tail, at, file_bytes - tail_bytes);
    if (!directory || !is_tried(*directory)) continue;
    if (directory->entries > directory->bytes / kEntryBytes) return std::nullopt;
    sum = sum.value_or(0) + directory->bytes;
    if (*sum > file_bytes) return std::nullopt;
  }
  return sum;
}

}  // namespace

class ZipFile::Entry final : public ByteSource {
 public:
  Entry(ZipFile& owner, std::uint64_t entry) : owner_(owner), file_(nullptr) {
    owner_.fault_ = owner_.refusal(entry);
    if (owner_.fault_) return;
    file_ = zip_library().fopen_index(owner.zip_, entry, 0);
    if (file_ == nullptr) fail(zip_library().strerror(owner_.zip_));
  }
  ~Entry() override {
    if (file_ != nullptr) zip_library().fclose(file_);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  std::size_t read(std::span<std::uint8_t> out) override {
    std::size_t filled = 0;
    while (file_ != nullptr && filled < out.size()) {
      const zip_int64_t bytes = zip_library().fread(file_, out.data() + filled, out.size() - filled);
      if (bytes < 0) fail(zip_library().file_strerror(file_));
      if (bytes <= 0) break;
      filled += static_cast<std::size_t>(bytes);
    }
    return filled;
  }

 private:
  void fail(const char* what) {
    owner_.fault_ = what;
    if (file_ != nullptr) zip_library().fclose(file_);
    file_ = nullptr;
    owner_.take_error();
  }
  ZipFile& owner_;
  zip_file* file_;
};

namespace {

template <typename Input>
zip_int64_t seek(Input& input, void* data, zip_uint64_t bytes, zip_error_t* error) {
  const zip_int64_t place = zip_library().source_seek_compute_offset(input.position, input.bytes, data, bytes, error);
  if (place < 0 || static_cast<std::uint64_t>(place) > input.bytes) return -1;
  input.position = static_cast<std::uint64_t>(place);
  return 0;
}

template <typename Input>
zip_int64_t read(Input& input, void* data, zip_uint64_t bytes) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, input.bytes - input.position));
  try {
    input.file->read_exactly(input.position, {static_cast<std::uint8_t*>(data), count});
  } catch (...) {
    input.error = std::current_exception();
    return -1;
  }
  input.position += count;
  return static_cast<zip_int64_t>(count);
}

zip_int64_t tell_size(std::uint64_t bytes, void* data, zip_uint64_t room, zip_error_t* error) {
  if (room < sizeof(zip_stat_t)) {
    zip_library().error_set(error, ZIP_ER_INVAL, 0);
    return -1;
  }
  auto* const stat = static_cast<zip_stat_t*>(data);
  zip_library().stat_init(stat);
  stat->size = bytes;
  stat->valid |= ZIP_STAT_SIZE;
  return sizeof *stat;
}

// What libzip asks of the file (zip_source_function).
template <typename Input>
zip_int64_t answer(void* user, void* data, zip_uint64_t bytes, zip_source_cmd_t command) {
  auto& input = *static_cast<Input*>(user);
  zip_error_t error;
  zip_library().error_init(&error);
  switch (command) {
    case ZIP_SOURCE_OPEN:
      input.position = 0;
      return 0;
    case ZIP_SOURCE_READ:
      return read(input, data, bytes);
    case ZIP_SOURCE_SEEK:
      return seek(input, data, bytes, &error);
    case ZIP_SOURCE_TELL:
      return static_cast<zip_int64_t>(input.position);
    case ZIP_SOURCE_STAT:
      return tell_size(input.bytes, data, bytes, &error);
    case ZIP_SOURCE_ERROR:
      zip_library().error_set(&error, ZIP_ER_READ, 0);
      return zip_library().error_to_data(&error, data, bytes);
    case ZIP_SOURCE_SUPPORTS:
      return zip_library().source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                                      ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                                                      ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS, -1);
    default:
      return 0;
  }
}

}  // namespace

std::uint64_t ZipFile::needed_bytes(const ReadableFile& file, std::uint64_t bytes) {
  const std::uint64_t directory = kMemoryPerByte * directory_bytes(file, bytes).value_or(0);
  return kOwnBytes + (directory > kDirectoryBytes ? directory - kDirectoryBytes : 0);
}

ZipFile::ZipFile(std::unique_ptr<ReadableFile> file, std::uint64_t bytes, MemoryBudget& budget,
                 std::uint64_t kept_bytes)
    : input_{std::move(file), bytes}, left_bytes_(bytes) {
  if (!directory_bytes(*input_.file, bytes)) {
    fault_ = "expected the directory of a zip file at its end, found none";
    return;
  }
  const std::uint64_t needed = needed_bytes(*input_.file, bytes);
  if (needed > kept_bytes) {
    memory_ = budget.reserve(static_cast<std::size_t>(needed - kept_bytes), "the directory of a zip file");
  }
  zip_error_t error;
  zip_library().error_init(&error);
  zip_source_t* const source = zip_library().source_function_create(&answer<Input>, &input_, &error);
  if (source != nullptr) zip_ = zip_library().open_from_source(source, ZIP_RDONLY, &error);
  if (zip_ == nullptr) {
    fault_ = zip_library().error_strerror(&error);
    if (source != nullptr) zip_library().source_free(source);
  }
  zip_library().error_fini(&error);
  try {
    take_error();
  } catch (...) {
    if (zip_ != nullptr) zip_library().discard(zip_);
    throw;
  }
}

ZipFile::~ZipFile() {
  if (zip_ != nullptr) zip_library().discard(zip_);
}

void ZipFile::take_error() const {
  if (input_.error != nullptr) std::rethrow_exception(input_.error);
}

std::uint64_t ZipFile::entry_count() const {
  return zip_ == nullptr ? 0
                         : static_cast<std::uint64_t>(std::max<zip_int64_t>(0, zip_library().get_num_entries(zip_, 0)));
}

std::string ZipFile::name(std::uint64_t entry) const {
  const char* const found = zip_library().get_name(zip_, entry, ZIP_FL_ENC_RAW);
  return found == nullptr ? std::string() : found;
}

// Why an entry is not read. Entries that share bytes could unpack to the square of the file.
std::optional<std::string> ZipFile::refusal(std::uint64_t entry) {
  zip_stat_t stat;
  zip_library().stat_init(&stat);
  if (zip_library().stat_index(zip_, entry, 0, &stat) != 0) return zip_library().strerror(zip_);
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
    return "expected stored or deflate, found method " + std::to_string(stat.comp_method) +
           "; pack it again with deflate";
  }
  if (stat.comp_size > left_bytes_) {
    return "expected entries that together are no longer than the file, found " + std::to_string(stat.comp_size) +
           " more bytes";
  }
  left_bytes_ -= stat.comp_size;
  return std::nullopt;
}

std::unique_ptr<ByteSource> ZipFile::open(std::uint64_t entry) { return std::make_unique<Entry>(*this, entry); }

}  // namespace spillway
