// Lines are found in mapped text more than once: when they are counted, when a block is split, and when a part of a
// block that was found in order is sorted. Where something writes to the file in between, lines become longer or
// shorter, and those of a piece of the text reach into the next piece: their bytes together tell.
#pragma once

#include "io/base/error.hpp"

namespace spillway {

[[noreturn]] inline void refuse_changed_text() {
  throw IoError("an input changed while it was sorted; start again when nothing writes to it");
}

}  // namespace spillway
