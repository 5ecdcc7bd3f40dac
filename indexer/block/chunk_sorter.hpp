// `cpu-chunk`: parsing inverts each chunk while it is in cache, so sorting a block means to unify the chunks' terms and
// to concatenate their lists. O(s log d) for s strings of all chunk tables, d distinct.
#pragma once

#include <memory>

#include "indexer/block/sorter.hpp"

namespace spillway {

std::unique_ptr<BlockSorter> make_chunk_block_sorter(const StringSorter& strings);

}  // namespace spillway
