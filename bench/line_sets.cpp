// Makes sets of lines of gigabytes, and proves that a file is a sorted permutation of another: their sums are the same.
//
//   line_sets records BYTES OUT      lines of 99 random printable bytes
//   line_sets repeat FILE BYTES OUT  FILE again and again, each time with other letters and digits
//   line_sets sum FILE               its bytes and lines, the sum of a hash of each line, and whether they are in order
//   line_sets disk FILE BYTES        writes and reads FILE past the page cache, and removes it: the limit of a sort
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "io/base/stopwatch.hpp"
#include "io/file/descriptor.hpp"

namespace {

using spillway::FileDescriptor;

std::uint64_t mix(std::uint64_t x) {  // the finaliser of MurmurHash3, which is in the public domain
  x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
  return x ^ x >> 33;
}

FileDescriptor open_file(const std::string& path, int flags) {
  FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (!file.valid()) throw std::runtime_error("cannot open " + path + ": " + std::strerror(errno));
  return file;
}

// Calls work(i) for each i below `count`, by all processors.
template <typename Work>
void for_each_index(std::uint64_t count, const Work& work) {
  std::atomic<std::uint64_t> next{0};
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t at = next++; at < count; at = next++) work(at);
    });
  }
}

void write_at(const FileDescriptor& file, std::uint64_t offset, std::string_view text) {
  const int error =
      spillway::write_all_at(file.get(), offset, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  if (error != 0) throw std::runtime_error(std::string("cannot write: ") + std::strerror(error));
}

void make_records(std::uint64_t bytes, const std::string& path) {
  constexpr std::uint64_t kRecord = 100, kRecords = 100000;  // kRecords: that are written at once
  const FileDescriptor file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
  const std::uint64_t count = bytes / kRecord;
  for_each_index((count + kRecords - 1) / kRecords, [&](std::uint64_t chunk) {
    std::string text((std::min(count, (chunk + 1) * kRecords) - chunk * kRecords) * kRecord, '\n');
    for (std::size_t i = 0; i != text.size(); ++i) {
      const std::uint64_t at = chunk * kRecords * kRecord + i;
      if (i % kRecord != kRecord - 1) text[i] = static_cast<char>(' ' + mix(at) % 95);
    }
    write_at(file, chunk * kRecords * kRecord, text);
  });
}

// A permutation of the letters of each case, and of the digits.
std::array<char, 256> permutation(std::uint64_t seed) {
  std::array<char, 256> map;
  for (std::size_t i = 0; i < map.size(); ++i) map[i] = static_cast<char>(i);
  const auto shuffle = [&](char first, std::size_t count) {
    char* const begin = map.data() + first;
    for (std::size_t i = count; i-- > 1;) std::swap(begin[i], begin[(seed = mix(seed + i)) % (i + 1)]);
  };
  shuffle('a', 26);
  shuffle('A', 26);
  shuffle('0', 10);
  return map;
}

void repeat(const std::string& base_path, std::uint64_t bytes, const std::string& path) {
  std::ifstream stream(base_path, std::ios::binary);
  const std::string base(std::istreambuf_iterator<char>(stream), {});
  if (base.empty()) throw std::runtime_error("nothing to repeat in " + base_path);
  const FileDescriptor file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
  for_each_index(bytes / base.size(), [&](std::uint64_t copy) {
    const std::array<char, 256> map = permutation(mix(copy + 1));
    std::string text = base;
    for (char& c : text) c = map[static_cast<unsigned char>(c)];
    write_at(file, copy * base.size(), text);
  });
}

std::uint64_t hash(std::string_view line) {
  std::uint64_t sum = mix(line.size() + 1), word = 0;
  for (std::size_t at = 0; at < line.size(); at += sizeof word) {
    word = 0;
    std::memcpy(&word, line.data() + at, std::min(sizeof word, line.size() - at));
    sum = mix(sum ^ word);
  }
  return sum;
}

// Prints the sum of a file. Returns whether its lines are in order.
bool sum(const std::string& path) {
  constexpr std::uint64_t kPiece = std::uint64_t{64} << 20;
  const FileDescriptor file = open_file(path, O_RDONLY);
  struct stat status = {};
  ::fstat(file.get(), &status);
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const mapping = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapping == MAP_FAILED) throw std::runtime_error("cannot map " + path + ", or it is empty");
  const std::string_view text(static_cast<const char*>(mapping), size);
  std::atomic<std::uint64_t> total{0}, lines{0}, falls{0};
  const auto line_after = [&](std::size_t at) { return at == 0 ? 0 : std::min(text.find('\n', at - 1), size - 1) + 1; };
  for_each_index((size + kPiece - 1) / kPiece, [&](std::uint64_t piece) {
    const std::size_t end = line_after(std::min<std::size_t>(size, (piece + 1) * kPiece));
    std::string_view last;
    std::uint64_t own = 0, count = 0, own_falls = 0;
    // The first line after the piece is compared with its last one.
    for (std::size_t at = line_after(piece * kPiece); at < size; ++count) {
      const std::string_view line = text.substr(at, text.find('\n', at) - at);
      own_falls += count != 0 && line < last ? 1 : 0;
      if (at >= end) break;
      own += hash(line);
      last = line;
      at += line.size() + 1;
    }
    total += own, lines += count, falls += own_falls;
  });
  std::printf("%s: %zu bytes, %llu lines, sum %016llx, %s\n", path.c_str(), size,
              static_cast<unsigned long long>(lines), static_cast<unsigned long long>(total),
              falls == 0 ? "in order" : "not in order");
  return falls == 0;
}

void measure_disk(const std::string& path, std::uint64_t bytes) {
  constexpr std::size_t kAtOnce = std::size_t{4} << 20;
  for (const bool writes : {true, false}) {
    const FileDescriptor file = open_file(path, (writes ? O_RDWR | O_CREAT : O_RDONLY) | O_DIRECT);
    if (writes && ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes)) != 0) {
      throw std::runtime_error("no space for " + path);
    }
    const spillway::Stopwatch watch;
    for_each_index(bytes / kAtOnce, [&](std::uint64_t i) {
      thread_local void* const buffer = std::aligned_alloc(4096, kAtOnce);
      const auto at = static_cast<off_t>(i * kAtOnce);
      if (writes) std::memset(buffer, static_cast<int>(i), kAtOnce);
      const ssize_t done =
          writes ? ::pwrite(file.get(), buffer, kAtOnce, at) : ::pread(file.get(), buffer, kAtOnce, at);
      if (done != static_cast<ssize_t>(kAtOnce)) std::perror(path.c_str());
    });
    if (writes) ::fsync(file.get());
    std::printf("direct %s: %.2f GB/s\n", writes ? "writes" : "reads",
                static_cast<double>(bytes) / watch.seconds() / 1e9);
  }
  ::unlink(path.c_str());
}

}  // namespace

int main(int count, char** words) try {
  const std::vector<std::string> arguments(words + 1, words + count);
  const std::string command = arguments.empty() ? "" : arguments[0];
  if (command == "records" && count == 4) {
    make_records(std::stoull(arguments[1]), arguments[2]);
  } else if (command == "repeat" && count == 5) {
    repeat(arguments[1], std::stoull(arguments[2]), arguments[3]);
  } else if (command == "sum" && count == 3) {
    return sum(arguments[1]) ? 0 : 1;
  } else if (command == "disk" && count == 4) {
    measure_disk(arguments[1], std::stoull(arguments[2]));
  } else {
    std::fprintf(stderr, "usage: line_sets records BYTES OUT | repeat FILE BYTES OUT | sum FILE | disk FILE BYTES\n");
    return 2;
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "line_sets: %s\n", error.what());
  return 2;
}
