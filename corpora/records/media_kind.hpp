// What a page of a crawl is: by the type that its header declares, unless its first bytes deny it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace spillway {

enum class MediaKind : std::uint8_t { kHtml, kPlain, kOther };

inline constexpr std::size_t kMediaSniffBytes = 1024;

// `mime`: in lower case, empty if none is declared. `label`: of the encoding, empty if none is declared. `start`: the
// first kMediaSniffBytes of the body, or all of it.
MediaKind media_kind(std::string_view mime, std::string_view label, std::string_view start);

// Whether the bytes begin with a tag, a comment or a declaration, also in UTF-16.
bool starts_with_markup(std::string_view label, std::string_view start);

// Whether the bytes begin like an HTML document: with its doctype or <html>, also after an XML declaration.
bool starts_like_page(std::string_view start);

}  // namespace spillway
