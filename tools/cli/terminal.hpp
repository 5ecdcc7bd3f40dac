// What the terminal at a descriptor shows. Nothing but plain lines goes to anything else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace spillway {

// A terminal that goes back to the start of its line: TERM is set, and not to "dumb".
bool redraws_lines(int descriptor);

// The same, and the user has not asked for plain text by setting NO_COLOR (https://no-color.org).
bool shows_colors(int descriptor);

// Its width; if the terminal does not tell, the number in COLUMNS; otherwise 80. At least 20.
std::size_t terminal_columns(int descriptor);

// The whole text, escaped by printable() (io/base/error.hpp) but for its line feeds and tabs.
std::string printable_lines(std::string_view text);

}  // namespace spillway
