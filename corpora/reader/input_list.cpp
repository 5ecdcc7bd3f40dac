#include "corpora/reader/input_list.hpp"

#include <algorithm>

#include "corpora/reader/directory_walk.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kLineBytes = std::size_t{64} << 10;  // of a list: more than any system's longest path

// Calls `visit` for each line that is not empty.
template <typename Visit>
void read_lines(ByteStream& stream, const Visit& visit) {
  std::vector<std::uint8_t> buffer(kLineBytes);
  std::string line;
  std::uint64_t number = 1;
  const auto end_line = [&] {
    // Such a path would end there: of a list made by find -print0, only the first file would be read.
    if (line.find('\0') != std::string::npos) {
      throw UsageError("the list " + printable(stream.path()) + ": line " + std::to_string(number) +
                       " holds a NUL byte; a list has one path a line (find without -print0)");
    }
    if (!line.empty()) visit(line);
    line.clear();
    ++number;
  };
  for (;;) {
    const std::size_t got = stream.read(buffer);
    if (got == 0) break;
    for (const std::uint8_t *at = buffer.data(), *end = at + got; at != end;) {
      const std::uint8_t* const newline = std::find(at, end, std::uint8_t{'\n'});
      line.append(reinterpret_cast<const char*>(at), static_cast<std::size_t>(newline - at));
      if (line.size() > kLineBytes) {
        throw UsageError("the list " + printable(stream.path()) + ": line " + std::to_string(number) +
                         " is longer than " + std::to_string(kLineBytes) + " bytes; a list has one path a line");
      }
      if (newline != end) end_line();
      at = newline == end ? end : newline + 1;
    }
  }
  end_line();
}

class InputLister {
 public:
  InputLister(FileSystem& files, const InputVisit& visit) : files_(files), visit_(visit) {}

  void add_argument(const std::string& input) {
    if (input == "-") {
      add({.path = "-", .is_stream = true});
    } else if (input.starts_with('@')) {
      add_list(input.substr(1));
    } else {
      add_path(input, input.rfind('/') + 1, IdsBelow::kRelative);
    }
  }

  bool any() const { return any_; }

 private:
  // Ids of the files below a directory: their paths relative to it, or their whole paths.
  enum class IdsBelow { kRelative, kWhole };

  void add(const CorpusFile& file) {
    any_ = true;
    visit_.visit(file);
  }

  void add_path(const std::string& path, std::size_t id_begin, IdsBelow ids) {
    if (visit_.check) visit_.check();
    const auto status = files_.status(path);
    if (!status) {
      const bool is_url = path.find("://") != std::string::npos;
      throw UsageError("input " + printable(path) + " does not exist; check the spelling" +
                       (is_url ? "; URLs of object stores are for the program 'spillway' of the Python package" : ""));
    }
    switch (status->type) {
      case FileType::kRegular:
        add({.path = path, .id_begin = id_begin, .size = status->size, .modified_ns = status->modified_ns});
        break;
      case FileType::kFifo:
        add({.path = path, .id_begin = id_begin, .modified_ns = status->modified_ns, .is_stream = true});
        break;
      case FileType::kDirectory:
        walk(path, ids);
        break;
      case FileType::kSocket:
      case FileType::kDevice:
        throw UsageError("input " + printable(path) + " is " + std::string(name_of(status->type)) +
                         "; expected a file, a directory, a FIFO or -");
    }
  }

  void walk(const std::string& root, IdsBelow ids) {
    walk_directory(files_, root, visit_.names_bytes, [&](const std::string& path, std::size_t relative_begin) {
      if (visit_.check) visit_.check();
      const auto status = files_.status(path);
      if (!status || status->type != FileType::kRegular) return;  // removed or replaced since it was listed
      add({.path = path,
           .id_begin = ids == IdsBelow::kRelative ? relative_begin : 0,
           .size = status->size,
           .modified_ns = status->modified_ns});
    });
  }

  // Files of a list may be in different directories and have equal names, so the id is the path as written.
  void add_list(const std::string& list) {
    const auto stream = files_.open_stream(list);
    stream->set_wait_check(visit_.check);
    read_lines(*stream, [&](const std::string& path) { add_path(path, 0, IdsBelow::kWhole); });
  }

  FileSystem& files_;
  const InputVisit& visit_;
  bool any_ = false;
};

}  // namespace

void list_inputs(FileSystem& files, const std::vector<std::string>& inputs, const InputVisit& visit) {
  if (inputs.empty()) throw UsageError("no input: give files, directories, lists (@FILE) or - for standard input");
  InputLister lister(files, visit);
  for (const std::string& input : inputs) lister.add_argument(input);
  if (lister.any()) return;
  throw UsageError("no input: there is no file in " + printable(inputs.front()) +
                   " (hidden files and links are not followed)");
}

}  // namespace spillway
