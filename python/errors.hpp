// The engine's errors as exceptions of Python: the classes of spillway.errors.
#pragma once

#include <exception>

namespace spillway::python {

// Translates what bound functions throw. Called once, when the module is made.
void register_errors();

}  // namespace spillway::python
