// Packs the words of JSON strings without unescaping them first: the hot loop of JSONL input for chunks of tokens.
#pragma once

#include "corpora/document/sink.hpp"

namespace spillway {

// Packs ASCII words as TokenKernel::pack_tokens does, and refuses parts with special words, with bytes from 0x80 and
// with escapes other than \" \\ \/ \f \n \r \t. Needs AVX-512 with VBMI2 and VPOPCNTDQ; null where this CPU has none.
PackWordsFunction json_words_packer();

}  // namespace spillway
