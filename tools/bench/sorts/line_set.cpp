#include "tools/bench/sorts/line_set.hpp"

#include <algorithm>

#include "io/base/error.hpp"

namespace spillway {

namespace {

Buffer whole_file(FileSystem& files, const std::string& path, MemoryBudget& budget) {
  const auto file = files.open(path);
  const std::string sizeless = file->size() == 0 ? read_file(files, path) : "";  // as below /proc
  Buffer text(budget, file->size() + sizeless.size(), "the lines of the benchmark");
  if (sizeless.empty()) {
    file->read_exactly(0, text.span());
  } else {
    std::copy(sizeless.begin(), sizeless.end(), text.data());
  }
  return text;
}

}  // namespace

LineSet::LineSet(FileSystem& files, const std::string& path, MemoryBudget& budget)
    : text_(whole_file(files, path, budget)) {
  if (text_.size() == 0) throw UsageError("--lines '" + printable(path) + "': the file has no line");
  const auto text = text_.span();
  const bool ends_open = text.back() != '\n';
  const auto count = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + (ends_open ? 1 : 0);
  lines_ = Buffer(budget, (count + 1) * sizeof(std::uint64_t), "where the lines of the benchmark begin");
  std::uint64_t* next = lines_.as<std::uint64_t>().data() + 1;
  for (auto at = text.begin(); next != lines_.as<std::uint64_t>().data() + count + 1; ++next) {
    const auto end = std::find(at, text.end(), '\n');
    if (end - at > std::ptrdiff_t{UINT32_MAX})
      throw UsageError("--lines '" + printable(path) + "': a line has 4 GiB or more");
    max_bytes_ = std::max(max_bytes_, static_cast<std::size_t>(end - at));
    *next = static_cast<std::uint64_t>(end - text.begin()) + 1;
    at = end == text.end() ? end : end + 1;
  }
}

std::uint64_t LineSet::begin(std::uint64_t line) const {
  return reinterpret_cast<const std::uint64_t*>(lines_.data())[line];
}

char* LineSet::write(std::uint64_t index, char* out) const {
  const std::uint64_t line = index % count();
  return std::copy(text_.data() + begin(line), text_.data() + begin(line + 1) - 1, out);
}

}  // namespace spillway
