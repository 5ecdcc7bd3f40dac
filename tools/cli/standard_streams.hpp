// Standard streams that the program was started without (`spillway ... 2>&-`). Their numbers must not go to files that
// it opens: messages would get into an index.
#pragma once

namespace spillway {

// Opens /dev/null for each closed stream, in the direction that is not used: the program runs, and an attempt to read
// data from the stream, or to write data to it, fails. Ends the program with exit code 2 if that is impossible.
// Requires: nothing was opened yet.
void fill_standard_streams();

}  // namespace spillway
