#include "corpora/reader/input_list.hpp"

#include <algorithm>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kListBytes = std::size_t{1} << 26;

std::string joined(const std::string& directory, const std::string& name) {
  if (directory.empty()) return name;
  return directory.ends_with('/') ? directory + name : directory + "/" + name;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

class InputLister {
 public:
  InputLister(FileSystem& files, const std::function<void()>& check) : files_(files), check_(check) {}

  void add_argument(const std::string& input) {
    if (input == "-") {
      found_.push_back({"-", "-", {FileType::kFifo}, true});
    } else if (input.starts_with('@')) {
      add_list(input.substr(1));
    } else {
      add_path(input, file_name(input), "");
    }
  }

  std::vector<InputFile> take() { return std::move(found_); }

 private:
  // `id`: that of a file. `id_prefix`: prefix of the ids of files below a directory.
  void add_path(const std::string& path, const std::string& id, const std::string& id_prefix) {
    if (check_) check_();
    const auto status = files_.status(path);
    if (!status) throw UsageError("input " + printable(path) + " does not exist; check the spelling");
    switch (status->type) {
      case FileType::kRegular:
        found_.push_back({path, id, *status, false});
        break;
      case FileType::kFifo:
        found_.push_back({path, id, *status, true});
        break;
      case FileType::kDirectory:
        add_directory(path, id_prefix);
        break;
      case FileType::kSocket:
      case FileType::kDevice:
        throw UsageError("input " + printable(path) + " is " + std::string(name_of(status->type)) +
                         "; expected a file, a directory, a FIFO or -");
    }
  }

  void add_directory(const std::string& root, const std::string& id_prefix) {
    const std::size_t first = found_.size();
    std::vector<std::string> open{""};  // relative paths of directories to list
    while (!open.empty()) {
      const std::string directory = std::move(open.back());
      open.pop_back();
      for (const std::string& name : files_.list(directory.empty() ? root : joined(root, directory))) {
        if (check_) check_();
        if (name.starts_with('.')) continue;
        const std::string relative = joined(directory, name);
        const std::string path = joined(root, relative);
        if (files_.is_link(path)) continue;
        const auto status = files_.status(path);
        if (!status) continue;  // removed since it was listed
        if (status->type == FileType::kDirectory) open.push_back(relative);
        if (status->type == FileType::kRegular) found_.push_back({path, relative, *status, false});
      }
    }
    std::sort(found_.begin() + static_cast<std::ptrdiff_t>(first), found_.end(),
              [](const InputFile& a, const InputFile& b) { return a.id < b.id; });
    for (std::size_t i = first; i < found_.size(); ++i) found_[i].id = joined(id_prefix, found_[i].id);
  }

  // Files of a list may be in different directories and have equal names, so the id is the path as written.
  void add_list(const std::string& list) {
    const std::string lines = read_stream(files_, list, kListBytes, check_);
    for (std::size_t begin = 0; begin < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', begin), lines.size());
      const std::string path = lines.substr(begin, end - begin);
      if (!path.empty()) add_path(path, path, path);
      begin = end + 1;
    }
  }

  FileSystem& files_;
  const std::function<void()>& check_;
  std::vector<InputFile> found_;
};

}  // namespace

std::vector<InputFile> list_inputs(FileSystem& files, const std::vector<std::string>& inputs,
                                   const std::function<void()>& check) {
  if (inputs.empty()) throw UsageError("no input: give files, directories, lists (@FILE) or - for standard input");
  InputLister lister(files, check);
  for (const std::string& input : inputs) lister.add_argument(input);
  auto found = lister.take();
  if (found.empty()) {
    throw UsageError("no input: there is no file in " + printable(inputs.front()) +
                     " (hidden files and links are not followed)");
  }
  return found;
}

}  // namespace spillway
