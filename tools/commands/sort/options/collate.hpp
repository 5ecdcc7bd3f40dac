// `sort --collate`, and locales that are named without it.
#pragma once

#include <optional>
#include <string>

#include "sort/lines/keys/order.hpp"

namespace spillway {

// Compares the texts of keys as the locale does, and lines that these leave equal too, where their bytes decided: now
// these decide only what the locale leaves equal. C and POSIX change nothing. Throws UsageError.
void use_collation(const std::string& locale, LineOrder& order);

// What to tell if the environment names a collation, and not that of bytes.
std::optional<std::string> note_of_other_collation();

}  // namespace spillway
