// Sorts lines out of core, within a budget of memory. Lines that are in memory already are sorted by one call,
// spillway::sort_strings(lines).
//
//   sort_strings 64 huge.txt more.txt > sorted     # within 64 MiB
//   generate | sort_strings 64 > sorted            # standard input
#include <spillway/sort.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

// Adds the lines of a file. A last line without an end is a line, too.
void add_lines(std::FILE* file, spillway::ExternalStringSorter& sorter) {
  std::vector<char> buffer(kBufferBytes);
  std::string begun;  // a line whose end has not been read
  while (const std::size_t bytes = std::fread(buffer.data(), 1, buffer.size(), file)) {
    std::string_view text(buffer.data(), bytes);
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
      if (begun.empty()) {
        sorter.add(text.substr(0, end));
      } else {
        sorter.add(begun.append(text.substr(0, end)));
        begun.clear();
      }
    }
    begun.append(text);
  }
  if (!begun.empty()) sorter.add(begun);
}

void add_file(const char* path, spillway::ExternalStringSorter& sorter) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "rb"), &std::fclose);
  if (file == nullptr) throw std::runtime_error(std::string(path) + ": it cannot be read");
  add_lines(file.get(), sorter);
  if (std::ferror(file.get()) != 0) throw std::runtime_error(std::string(path) + ": a read failed");
}

void write_lines(spillway::ExternalStringSorter& sorter, std::FILE* file) {
  std::string text;
  const auto write = [&] {
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) throw std::runtime_error("a write failed");
    text.clear();
  };
  while (sorter.next()) {
    text.append(sorter.string()).push_back('\n');
    if (text.size() >= kBufferBytes) write();
  }
  write();
  if (std::fflush(file) != 0) throw std::runtime_error("a write failed");
}

}  // namespace

int main(int count, char** words) try {
  if (count < 2 || std::atoi(words[1]) <= 0) {
    std::fprintf(stderr, "usage: sort_strings MEBIBYTES [FILE]...\n");
    return 2;
  }
  spillway::ExternalSortOptions options;
  options.memory_bytes = static_cast<std::size_t>(std::atoi(words[1])) << 20;
  spillway::ExternalStringSorter sorter(options);
  if (count == 2) add_lines(stdin, sorter);
  for (int i = 2; i < count; ++i) add_file(words[i], sorter);

  sorter.finish();
  write_lines(sorter, stdout);
  std::fprintf(stderr, "%llu lines, %llu bytes in scratch files\n", static_cast<unsigned long long>(sorter.size()),
               static_cast<unsigned long long>(sorter.spilled_bytes()));
  return 0;
} catch (const std::exception& failure) {  // spillway::SortFailure tells its kind()
  std::fprintf(stderr, "sort_strings: %s\n", failure.what());
  return 1;
}
