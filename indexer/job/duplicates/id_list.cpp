#include "indexer/job/duplicates/id_list.hpp"

#include <algorithm>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kStepBytes = std::size_t{64} << 10;
constexpr std::size_t kMostIdBytes = 65535;

}  // namespace

IdList::IdList(FileSystem& files, const DocumentNames& names, MemoryBudget& budget,
               const std::function<void()>& wait_check) {
  std::vector<std::size_t> ends;  // of the texts of the files
  for (const std::string& path : names.files) {
    read(files, path, budget, wait_check);
    ends.push_back(text_.size());
  }
  const auto feeds = static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '\n'));
  const std::size_t most_lines = feeds + names.files.size() + names.values.size();
  line_memory_ = budget.reserve(most_lines * sizeof(Line), "the lines of the ids to drop");
  lines_.reserve(most_lines);
  for (std::size_t i = 0; i < ends.size(); ++i) find_lines(names.files[i], i == 0 ? 0 : ends[i - 1], ends[i]);
  for (const std::string& value : names.values) add_value(value, budget);
  std::sort(lines_.begin(), lines_.end(), [this](const Line& a, const Line& b) { return view(a) < view(b); });
  const auto same = [this](const Line& a, const Line& b) { return view(a) == view(b); };
  lines_.erase(std::unique(lines_.begin(), lines_.end(), same), lines_.end());
}

// The text doubles its capacity as it grows; the old and the new buffer are both reserved while it moves.
void IdList::make_room(std::size_t bytes, MemoryBudget& budget) {
  if (text_.capacity() - text_.size() >= bytes) return;
  const std::size_t wanted = 2 * text_.capacity() + bytes;
  Reservation grown = budget.reserve(wanted, "the ids to drop");
  text_.reserve(wanted);
  text_memory_ = std::move(grown);
}

void IdList::read(FileSystem& files, const std::string& path, MemoryBudget& budget,
                  const std::function<void()>& wait_check) {
  const auto stream = files.open_stream(path);
  stream->set_wait_check(wait_check);
  while (true) {
    make_room(kStepBytes, budget);
    const std::size_t before = text_.size();
    text_.resize(before + kStepBytes);
    const std::size_t got = stream->read({reinterpret_cast<std::uint8_t*>(text_.data()) + before, kStepBytes});
    text_.resize(before + got);
    if (got == 0) return;
  }
}

// Reads the lines of the file that text_ holds from `begin` to `end`.
void IdList::find_lines(const std::string& path, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end;) {
    const std::size_t feed = std::min(text_.find('\n', at), end);
    const std::size_t line_end = feed > at && text_[feed - 1] == '\r' ? feed - 1 : feed;
    if (line_end - at > kMostIdBytes) {
      throw UsageError(printable(path, 4096) + ": offset " + std::to_string(at - begin) +
                       ": expected an id of at most 65535 bytes a line, found " + std::to_string(line_end - at) +
                       ": name a file with one id a line");
    }
    if (line_end != at) lines_.push_back({at, static_cast<std::uint32_t>(line_end - at), false});
    at = feed + 1;
  }
}

void IdList::add_value(const std::string& value, MemoryBudget& budget) {
  if (value.empty()) return;
  make_room(value.size(), budget);
  lines_.push_back({text_.size(), static_cast<std::uint32_t>(value.size()), false});
  text_ += value;
}

bool IdList::take(std::string_view id) {
  const auto found = std::lower_bound(lines_.begin(), lines_.end(), id,
                                      [this](const Line& line, std::string_view key) { return view(line) < key; });
  if (found == lines_.end() || view(*found) != id) return false;
  found->taken = true;
  return true;
}

std::uint64_t IdList::unknown_count() const {
  return static_cast<std::uint64_t>(
      std::count_if(lines_.begin(), lines_.end(), [](const Line& line) { return !line.taken; }));
}

std::vector<std::string> IdList::unknown_examples() const {
  std::vector<std::string> examples;
  for (const Line& line : lines_) {
    if (!line.taken && examples.size() < kExamples) examples.emplace_back(view(line));
  }
  return examples;
}

}  // namespace spillway
