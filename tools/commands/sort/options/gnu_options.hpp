// The long options of GNU sort.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace spillway {

// In the order in which GNU sort lists them where an abbreviation fits several. An abbreviation means
// another option only if it fits none of these.
inline constexpr std::string_view kGnuOptions[] = {"ignore-leading-blanks",
                                                   "check",
                                                   "compress-program",
                                                   "debug",
                                                   "dictionary-order",
                                                   "ignore-case",
                                                   "files0-from",
                                                   "general-numeric-sort",
                                                   "ignore-nonprinting",
                                                   "key",
                                                   "merge",
                                                   "month-sort",
                                                   "numeric-sort",
                                                   "human-numeric-sort",
                                                   "version-sort",
                                                   "random-sort",
                                                   "random-source",
                                                   "sort",
                                                   "output",
                                                   "reverse",
                                                   "stable",
                                                   "batch-size",
                                                   "buffer-size",
                                                   "field-separator",
                                                   "temporary-directory",
                                                   "unique",
                                                   "zero-terminated",
                                                   "parallel",
                                                   "help",
                                                   "version"};

inline bool is_of_gnu(std::string_view name) { return std::ranges::find(kGnuOptions, name) != std::end(kGnuOptions); }

}  // namespace spillway
