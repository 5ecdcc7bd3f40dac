#include "indexer/options/content_versions.hpp"

#include <zstd.h>

#include "text/analysis/term_filter.hpp"
#include "text/unicode/words.hpp"

namespace spillway {

ContentOptions with_versions(ContentOptions content) {
  content.icu_version = content.tokenizer == Tokenizer::kUnicode ? UnicodeWords::icu_version() : "";
  content.stemmer_version = TermFilter::stemmer_version(content.stemmer);
  content.zstd_version = ZSTD_versionString();
  return content;
}

}  // namespace spillway
