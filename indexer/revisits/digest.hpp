// One form for all ways in which crawlers write a digest: "sha1:" and base 32, "SHA-1:" and hexadecimal digits, either
// without a label.
#pragma once

#include <string>
#include <string_view>

namespace spillway {

// Equal for two digests if they have the same value and algorithm (md5, sha1, sha256, sha384, sha512). A label that is
// missing is told by the length of the value. What cannot be read is returned in lower case.
std::string comparable_digest(std::string_view written);

}  // namespace spillway
