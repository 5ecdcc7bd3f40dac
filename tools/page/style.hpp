// The style sheet and the script of pages.
#pragma once

#include <string_view>

namespace spillway {

std::string_view page_style();
std::string_view page_script();

}  // namespace spillway
