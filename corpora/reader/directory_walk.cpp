#include "corpora/reader/directory_walk.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace spillway {

namespace {

using Visit = std::function<void(const std::string& path, std::size_t relative_begin)>;

// The least of the names that are added, as many as fit, in byte order. A name has no NUL, so they are C strings.
class LeastNames {
 public:
  explicit LeastNames(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  void add(const std::string& name) {
    if (left_some_out_ && name >= least_left_out_) return;
    starts_.push_back(static_cast<std::uint32_t>(text_.size()));
    text_.append(name).push_back('\0');
    if (bytes() > most_bytes_ && starts_.size() > 1) drop_half();
  }
  void sort() {
    std::sort(starts_.begin(), starts_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return std::strcmp(&text_[a], &text_[b]) < 0; });
  }
  // After sort(), in order.
  std::size_t size() const { return starts_.size(); }
  const char* operator[](std::size_t i) const { return &text_[starts_[i]]; }

  std::size_t bytes() const { return text_.size() + starts_.size() * sizeof(starts_[0]); }
  bool left_some_out() const { return left_some_out_; }

 private:
  void drop_half() {
    sort();
    const std::size_t kept = (starts_.size() + 1) / 2;
    left_some_out_ = true;
    least_left_out_ = (*this)[kept];
    std::string text;
    for (std::size_t i = 0; i < kept; ++i) {
      const char* const name = (*this)[i];
      starts_[i] = static_cast<std::uint32_t>(text.size());
      text.append(name).push_back('\0');
    }
    starts_.resize(kept);
    text_ = std::move(text);
  }

  const std::size_t most_bytes_;
  std::string text_;
  std::vector<std::uint32_t> starts_;
  bool left_some_out_ = false;
  std::string least_left_out_;
};

class Walk {
 public:
  Walk(FileSystem& files, const std::string& root, const Visit& visit) : files_(files), visit_(visit), path_(root) {
    relative_begin_ = path_.size() + (path_.ends_with('/') ? 0 : 1);
  }

  // Visits the directory path_. Uses at most `room` bytes, half of them for its own names.
  void visit_directory(std::size_t room) {
    const std::string directory = path_;
    std::string last;  // visited
    for (bool more = true; more;) {
      const LeastNames names = names_after(directory, last, room / 2);
      for (std::size_t i = 0; i < names.size(); ++i) {
        last = names[i];
        path_ = directory + (directory.ends_with('/') ? "" : "/") + last;
        if (last.ends_with('/')) {
          path_.pop_back();
          visit_directory(room - std::min(room, names.bytes()));
        } else {
          visit_(path_, relative_begin_);
        }
      }
      more = names.left_some_out();
    }
  }

 private:
  // Names of directories end with a slash: then the byte order of names is that of whole paths.
  LeastNames names_after(const std::string& directory, const std::string& last, std::size_t most_bytes) {
    LeastNames names(most_bytes);
    std::string name;
    files_.visit_entries(directory, [&](const DirectoryEntry& entry) {
      if (entry.name.starts_with('.') || !entry.type) return;
      const bool is_directory = *entry.type == FileType::kDirectory;
      if (!is_directory && *entry.type != FileType::kRegular) return;
      name.assign(entry.name);
      if (is_directory) name += '/';
      if (name > last) names.add(name);
    });
    names.sort();
    return names;
  }

  FileSystem& files_;
  const Visit& visit_;
  std::string path_;
  std::size_t relative_begin_;
};

}  // namespace

void walk_directory(FileSystem& files, const std::string& root, std::size_t names_bytes, const Visit& visit) {
  Walk(files, root, visit).visit_directory(names_bytes);
}

}  // namespace spillway
