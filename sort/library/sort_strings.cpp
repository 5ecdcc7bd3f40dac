#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <span>
#include <utility>

#include "io/memory/limits.hpp"
#include "sort/library/failure.hpp"
#include "sort/library/sort.hpp"
#include "sort/library/string_order.hpp"

namespace spillway {

namespace {

// Calls work() in an arena of `threads` threads, at most as many as oneTBB has: it warns on standard error of arenas
// for more.
template <typename Work>
auto in_arena(unsigned threads, const Work& work) {
  return with_sort_failures([&] {
    const std::size_t wanted = threads == 0 ? usable_threads() : threads;
    const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    tbb::task_arena arena(static_cast<int>(std::min(wanted, allowed)));
    return arena.execute(work);
  });
}

template <typename Body>
void for_each_place(std::size_t count, const Body& body) {
  constexpr std::size_t kRange = 16384;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kRange), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
  });
}

std::vector<std::uint32_t> find_order(std::span<const std::string_view> strings, const StringSortOptions& options,
                                      std::span<std::uint32_t> lcps) {
  return in_arena(options.threads, [&] {
    const SortedReferences sorted(strings, options, 0, lcps);
    return std::vector<std::uint32_t>(sorted.order().begin(), sorted.order().end());
  });
}

}  // namespace

void sort_strings(std::string_view* strings, std::size_t count, const StringSortOptions& options) {
  in_arena(options.threads, [&] {
    const SortedReferences sorted({strings, count}, options);
    for_each_place(count, [&](std::size_t i) { strings[i] = sorted.string(i); });
  });
}

void sort_strings(std::vector<std::string_view>& strings, const StringSortOptions& options) {
  sort_strings(strings.data(), strings.size(), options);
}

void sort_strings(std::vector<std::string>& strings, const StringSortOptions& options) {
  in_arena(options.threads, [&] {
    const SortedReferences sorted(std::vector<std::string_view>(strings.begin(), strings.end()), options,
                                  sizeof(std::string));
    std::vector<std::string> ordered(strings.size());
    for_each_place(strings.size(), [&](std::size_t i) { ordered[i] = std::move(strings[sorted.order()[i]]); });
    strings = std::move(ordered);
  });
}

std::vector<std::uint32_t> order_strings(const std::string_view* strings, std::size_t count,
                                         const StringSortOptions& options) {
  return find_order({strings, count}, options, {});
}

std::vector<std::uint32_t> order_strings(const std::vector<std::string_view>& strings,
                                         const StringSortOptions& options) {
  return find_order(strings, options, {});
}

StringOrder order_strings_with_lcps(const std::string_view* strings, std::size_t count,
                                    const StringSortOptions& options) {
  StringOrder found;
  found.lcps.resize(count);
  found.order = find_order({strings, count}, options, found.lcps);
  return found;
}

}  // namespace spillway
