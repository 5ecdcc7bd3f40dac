// The sort of Spillway as a library: strings of any bytes are sorted in memory, by all threads, or out of core, within
// a limit of memory. This header is all that a program needs; it includes the standard library only.
//
//   find_package(Spillway REQUIRED COMPONENTS sort)
//   target_link_libraries(program PRIVATE Spillway::sort)
//
//   #include <spillway/sort.hpp>
//   std::vector<std::string_view> words = ...;
//   spillway::sort_strings(words);
//
//   spillway::ExternalSortOptions options;
//   options.memory_bytes = std::size_t{64} << 20;
//   spillway::ExternalStringSorter sorter(options);
//   while (read(line)) sorter.add(line);
//   sorter.finish();
//   while (sorter.next()) write(sorter.string());
//
// Strings compare as unsigned bytes, as memcmp compares them, and a prefix comes before what it begins: "a" < "a\0".
// Any byte may occur. All functions may throw spillway::SortFailure and std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// An error. what() names the figures or the file, and a remedy. Where a remedy is an option of the command `spillway
// sort`, --memory stands for memory_bytes, --temp-limit for temp_limit_bytes and -T for temp_directories.
class SortFailure : public std::runtime_error {
 public:
  enum class Kind {
    kUsage,   // a call or an option that is not allowed
    kIo,      // a scratch file that cannot be made, written or read, or that has changed
    kBudget,  // the limit of memory or of scratch files is too small
    kOther    // for example a sorter of the GPU without a GPU
  };
  SortFailure(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

struct StringSortOptions {
  // 0: one for each processor that the process may use. Never more than oneTBB has for the process.
  unsigned threads = 0;
  std::size_t memory_bytes = 0;  // that the sort may take besides strings and results; 0: no limit
  bool is_descending = false;    // equal strings stay in index order all the same
  std::string sorter = "auto";   // or cpu-msd, cpu-multikey, or one of the GPU (docs/sorters.md)
};

// Sort in memory, in place. Equal strings keep their order. Parallel; thread-safe for different strings.
//
// The sort takes 52 bytes for each string, and 32 more for std::string. Throws SortFailure: kBudget, naming what is
// needed, if that is more than options.memory_bytes; kUsage for 2^32 strings or more, for a string of 4 GiB or more and
// for an unknown sorter; kOther if a sorter of the GPU fails. After a failure the strings are as they were.
void sort_strings(std::string_view* strings, std::size_t count, const StringSortOptions& options = {});
void sort_strings(std::vector<std::string_view>& strings, const StringSortOptions& options = {});
void sort_strings(std::vector<std::string>& strings, const StringSortOptions& options = {});

struct StringOrder {
  std::vector<std::uint32_t> order;  // order[i]: the index of the i-th string of the result
  std::vector<std::uint32_t> lcps;   // lcps[i]: bytes that the strings order[i - 1] and order[i] share; lcps[0] is 0
};

// Finds the order of strings, which stay where they are; otherwise as sort_strings().
std::vector<std::uint32_t> order_strings(const std::string_view* strings, std::size_t count,
                                         const StringSortOptions& options = {});
std::vector<std::uint32_t> order_strings(const std::vector<std::string_view>& strings,
                                         const StringSortOptions& options = {});
// The same with the longest common prefixes, which take time of their own: all shared bytes are read again.
StringOrder order_strings_with_lcps(const std::string_view* strings, std::size_t count,
                                    const StringSortOptions& options = {});

struct ExternalSortOptions {
  // That the sorter may take in all, buffers and threads included; 0: half of what the process may still take. At least
  // 32 MiB, and more for many threads or long strings; a sorter with less is refused, naming what is needed.
  std::size_t memory_bytes = 0;
  std::vector<std::string> temp_directories;  // are used in turn; none: $TMPDIR, or /tmp
  std::uint64_t temp_limit_bytes = 0;         // that scratch files may hold at once; 0: no limit
  unsigned threads = 0;                       // as StringSortOptions has it; fewer if each had less than 8 MiB
  // The longest string, or key with its value; bytes 0, 1 and 2 count twice. At most 1 GiB. The sorter keeps
  // memory for 8 * threads + 12 such strings, twice that with is_stable or is_unique, beyond a few MiB.
  std::size_t most_string_bytes = std::size_t{256} << 10;
  bool is_descending = false;  // values, where they decide, descend as well
  bool is_unique = false;      // of equal strings, or strings with equal keys, only the first that was added is kept
  // Strings with equal keys keep the order in which they were added, also if the order is descending. If not, their
  // values decide, in the order of the strings.
  bool is_stable = false;
  std::string sorter = "auto";  // or cpu-msd, cpu-multikey, ..., which need twice the memory for each string
};

// Sorts strings, or keys with values, that may be more than the memory holds. What does not fit becomes sorted runs,
// compressed, in scratch files without a name, which vanish with the process. Two phases: add() and finish(), then
// next() and string().
//
// Movable. Not thread-safe: one thread at a time may call it. It works on threads of its own, also between calls.
// Destruction at any time discards what is left, and waits for work in progress. After a SortFailure that is not kUsage
// every further call throws it again.
//
// Time: O(n log n) comparisons, each string read and written twice if it does not fit the memory. Disk: about a third
// of the strings' bytes for text, all of them for random bytes; up to twice that while more runs than the memory
// has room for are merged in passes.
class ExternalStringSorter {
 public:
  // Throws SortFailure (kBudget, kUsage).
  explicit ExternalStringSorter(const ExternalSortOptions& options = {});
  ~ExternalStringSorter();
  ExternalStringSorter(ExternalStringSorter&&) noexcept;
  ExternalStringSorter& operator=(ExternalStringSorter&&) noexcept;

  // Copies the string. Throws kUsage after finish() and for one that is longer than options.most_string_bytes; kIo or
  // kBudget for scratch files, also for strings that were added before.
  void add(std::string_view string);
  // The same for a key and its value, both of any bytes. Order: by keys, then as options.is_stable says; a string
  // without a value comes before those with equal keys and an empty value.
  void add(std::string_view key, std::string_view value);
  // Ends the input, and waits until the first string can be read. Throws kUsage when it is called twice.
  void finish();

  // Goes to the first, then to each next string. Returns false at the end. Requires: finish() (kUsage).
  bool next();
  // Both require that next() returned true, and live until the next call of next(). string() is the key if there is a
  // value; value() is empty if there is none.
  std::string_view string() const;
  std::string_view value() const;

  // Strings that were added.
  std::uint64_t size() const;
  // Bytes that were written to scratch files so far; all of them once next() has returned false.
  std::uint64_t spilled_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
