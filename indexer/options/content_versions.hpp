// The versions of libraries that an index names among its content options.
#pragma once

#include "io/format/content_options.hpp"

namespace spillway {

// Returns `content` with the versions of the libraries that this program uses for it.
ContentOptions with_versions(ContentOptions content);

}  // namespace spillway
