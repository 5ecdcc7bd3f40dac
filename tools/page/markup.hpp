// Text and numbers as parts of HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace spillway {

// Makes any bytes safe inside an element or a quoted attribute: & < > " ' become entities; controls, characters that
// reorder a line, and ill-formed UTF-8 are written as printable() does.
std::string escaped(std::string_view text);
// The same, but line feeds stay, for preformatted text.
std::string escaped_lines(std::string_view text);

// A number with at most three digits after the point, as attributes of SVG take it.
std::string number_text(double value);
// A share of the width: "12.5%".
std::string percent_place(double share);

}  // namespace spillway
