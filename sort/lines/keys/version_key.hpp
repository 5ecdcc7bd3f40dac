// Version numbers in text (`sort -V`) as byte strings that compare as versions do: Debian's rules for versions, with
// GNU's rule that file suffixes count only between names that are equal without them.
#pragma once

#include <string>
#include <string_view>

namespace spillway {

// Appends a byte string that is no prefix of another one. O(text).
void append_version_key(std::string_view text, std::string& key);

}  // namespace spillway
