// A fixture that indexes the parts of a corpus, as inputs of merges.
#pragma once

#include <gtest/gtest.h>

#include "tests/end_to_end/indexing.hpp"

namespace spillway::testing {

class MergeParts : public ::testing::Test {
 protected:
  std::string index(const std::string& name, const std::string& content, const ContentOptions& options,
                    CorpusFormat format = CorpusFormat::kJsonl) {
    write_bytes(scratch_ / (name + ".in"), content);
    IndexOptions job = index_job({scratch_ / (name + ".in")}, scratch_ / name);
    job.content = options;
    job.corpus.format = format;
    run_job(job);
    return job.output;
  }

  ScratchDirectory scratch_;
};

}  // namespace spillway::testing
