// A whole page as one HTML file: plots and tables without a script, which only adds values under the pointer, keys and
// legends that hide series. It refers to no other file and to no network.
#pragma once

#include <string>

#include "tools/page/model.hpp"

namespace spillway {

std::string page_html(const Page& page);

}  // namespace spillway
