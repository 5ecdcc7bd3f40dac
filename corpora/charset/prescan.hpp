// Finds the encoding that an HTML document declares at its start, in "<meta>" or an XML declaration (WHATWG HTML,
// section 13.2.3.2). Time O(bytes).
#pragma once

#include <string_view>

#include "corpora/charset/encodings.hpp"

namespace spillway {

inline constexpr std::size_t kPrescanBytes = 1024;

// `begin`: the first kPrescanBytes of the document, or all of it. Returns nullptr if it declares no known encoding.
const Encoding* prescan_encoding(std::string_view begin);

// The label in the content of a Content-Type, such as "text/html; charset=utf-8"; empty if there is none.
std::string_view charset_parameter(std::string_view content_type);

}  // namespace spillway
