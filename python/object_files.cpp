#include "python/object_files.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "io/base/error.hpp"

namespace spillway::python {

namespace {

namespace nb = nanobind;

// Calls Python with the interpreter's lock. What it raises ends the job with its words, or as interrupted after a
// signal.
template <typename Call>
decltype(auto) with_python(const std::atomic<int>& signal_number, const Call& call) {
  const nb::gil_scoped_acquire locked;
  try {
    return call();
  } catch (nb::python_error& error) {
    if (const int number = signal_number; number != 0) throw InterruptedError(number);
    throw IoError(nb::cast<std::string>(nb::str(error.value())));
  }
}

// Bytes that Python holds. Requires: the lock, while it lives.
struct Piece {
  nb::object bytes;
  std::span<const std::uint8_t> from_offset;
};

class ObjectFile final : public ReadableFile {
 public:
  // The references must outlive this object.
  ObjectFile(const nb::object& source, const std::atomic<int>& signal_number, std::string url)
      : source_(source), signal_number_(signal_number), url_(std::move(url)) {
    size_ = with_python(signal_number_, [&] { return nb::cast<std::uint64_t>(source_.attr("open")(url_)); });
  }

  // Who reads at the end has read all: it must have been of one object.
  std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const override {
    if (offset >= size_) {
      if (offset != 0) with_python(signal_number_, [&] { source_.attr("check")(url_); });
      return 0;
    }
    const auto wanted = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - offset)));
    std::size_t done = 0;
    with_python(signal_number_, [&] {
      while (done < wanted.size()) {
        const Piece piece = read_piece(offset + done, wanted.size() - done);
        const std::size_t count = std::min(piece.from_offset.size(), wanted.size() - done);
        if (count == 0) throw IoError(printable(url_, 4096) + ": no byte came from offset " + std::to_string(offset));
        std::memcpy(wanted.data() + done, piece.from_offset.data(), count);
        done += count;
      }
    });
    return done;
  }
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return url_; }

 private:
  Piece read_piece(std::uint64_t offset, std::size_t bytes) const {
    const auto read = nb::cast<nb::tuple>(source_.attr("read")(url_, offset, bytes));
    Piece piece{read[0], {}};
    const auto* const data = reinterpret_cast<const std::uint8_t*>(PyBytes_AsString(piece.bytes.ptr()));
    if (data == nullptr) throw nb::python_error();
    const auto size = static_cast<std::size_t>(PyBytes_Size(piece.bytes.ptr()));
    piece.from_offset = std::span(data, size).subspan(std::min(size, nb::cast<std::size_t>(read[1])));
    return piece;
  }

  const nb::object& source_;
  const std::atomic<int>& signal_number_;
  const std::string url_;
  std::uint64_t size_ = 0;
};

class ObjectStream final : public ByteStream {
 public:
  explicit ObjectStream(std::unique_ptr<ReadableFile> file) : file_(std::move(file)) {}
  std::size_t read(std::span<std::uint8_t> out) override {
    const std::size_t count = file_->read_at(offset_, out);
    offset_ += count;
    return count;
  }
  const std::string& path() const override { return file_->path(); }

 private:
  std::unique_ptr<ReadableFile> file_;
  std::uint64_t offset_ = 0;
};

}  // namespace

bool is_url(const std::string& path) {
  return path.starts_with("s3://") || path.starts_with("gs://") || path.starts_with("hdfs://");
}

ObjectFileSystem::ObjectFileSystem(FileSystem& local, const std::atomic<int>& signal_number)
    : local_(local), signal_number_(std::make_shared<const std::atomic<int>*>(&signal_number)) {}

ObjectFileSystem::~ObjectFileSystem() {
  const nb::gil_scoped_acquire locked;
  *signal_number_ = nullptr;
  try {
    if (source_.is_valid()) source_.attr("close")();
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("closing object stores");
  }
  source_.reset();
}

const nb::object& ObjectFileSystem::source() {
  if (!source_.is_valid()) {
    const nb::object stopped = nb::cpp_function(
        [signal_number = signal_number_] { return *signal_number == nullptr || **signal_number != 0; });
    nb::object made = nb::module_::import_("spillway.objects.source").attr("Source")(stopped);
    if (!source_.is_valid()) source_ = std::move(made);  // another thread may have made one meanwhile
  }
  return source_;
}

std::size_t ObjectFileSystem::expect(const std::vector<std::string>& inputs, std::uint64_t memory_bytes) {
  const auto may_be_url = [](const std::string& input) { return is_url(input) || input.starts_with('@'); };
  if (std::none_of(inputs.begin(), inputs.end(), may_be_url)) return 0;
  return with_python(**signal_number_, [&] {
    source().attr("expect")(inputs);
    return nb::cast<std::size_t>(source().attr("window_for")(memory_bytes));
  });
}

std::unique_ptr<ReadableFile> ObjectFileSystem::open(const std::string& path) {
  if (!is_url(path)) return local_.open(path);
  const nb::object& opener = with_python(**signal_number_, [&]() -> const nb::object& { return source(); });
  return std::make_unique<ObjectFile>(opener, **signal_number_, path);
}

std::unique_ptr<ByteStream> ObjectFileSystem::open_stream(const std::string& path) {
  if (!is_url(path)) return local_.open_stream(path);
  return std::make_unique<ObjectStream>(open(path));
}

std::optional<FileStatus> ObjectFileSystem::status(const std::string& path) {
  if (!is_url(path)) return local_.status(path);
  return with_python(**signal_number_, [&]() -> std::optional<FileStatus> {
    const nb::object found = source().attr("status")(path);
    if (found.is_none()) return std::nullopt;
    const auto status = nb::cast<nb::tuple>(found);
    return FileStatus{nb::cast<bool>(status[0]) ? FileType::kDirectory : FileType::kRegular,
                      nb::cast<std::uint64_t>(status[1]), nb::cast<std::int64_t>(status[2])};
  });
}

std::vector<std::string> ObjectFileSystem::list(const std::string& directory) {
  if (!is_url(directory)) return local_.list(directory);
  std::vector<std::string> names;
  visit_entries(directory, [&](const DirectoryEntry& entry) { names.emplace_back(entry.name); });
  std::sort(names.begin(), names.end());
  return names;
}

void ObjectFileSystem::visit_entries(const std::string& directory,
                                     const std::function<void(const DirectoryEntry&)>& visit) {
  if (!is_url(directory)) return local_.visit_entries(directory, visit);
  std::vector<std::pair<std::string, bool>> entries;
  with_python(**signal_number_, [&] {
    for (const nb::handle entry : nb::cast<nb::list>(source().attr("entries")(directory))) {
      entries.emplace_back(nb::cast<std::string>(entry[0]), nb::cast<bool>(entry[1]));
    }
  });
  for (const auto& [name, is_directory] : entries) {
    visit({name, is_directory ? FileType::kDirectory : FileType::kRegular});
  }
}

}  // namespace spillway::python
