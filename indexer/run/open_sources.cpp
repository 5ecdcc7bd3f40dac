#include "indexer/run/open_sources.hpp"

#include <algorithm>
#include <utility>

#include "io/base/error.hpp"

namespace spillway {

namespace {

class StoppableDocuments final : public DocumentCursor {
 public:
  StoppableDocuments(std::unique_ptr<DocumentCursor> cursor, const std::atomic<int>& signal_number)
      : cursor_(std::move(cursor)), signal_(signal_number) {}
  bool next() override {
    if (const int signal = signal_.load(std::memory_order_relaxed); signal != 0) throw InterruptedError(signal);
    return cursor_->next();
  }
  const RunDocument& document() const override { return cursor_->document(); }

 private:
  std::unique_ptr<DocumentCursor> cursor_;
  const std::atomic<int>& signal_;
};

class StoppableInput final : public MergeInput {
 public:
  StoppableInput(const MergeInput& input, const std::atomic<int>& signal_number)
      : input_(input), signal_(signal_number) {}
  const RunIdentity& identity() const override { return input_.identity(); }
  const RunSummary& summary() const override { return input_.summary(); }
  std::vector<TermSample> term_samples() const override { return input_.term_samples(); }
  std::size_t cursor_bytes() const override { return input_.cursor_bytes(); }
  std::unique_ptr<TermCursor> terms(std::string first, std::string last) const override {
    return input_.terms(std::move(first), std::move(last));
  }
  std::unique_ptr<TextCursor> texts() const override { return input_.texts(); }
  std::unique_ptr<DocumentCursor> documents() const override {
    return std::make_unique<StoppableDocuments>(input_.documents(), signal_);
  }
  std::vector<DocumentStretch> document_stretches() const override {
    std::vector<DocumentStretch> stretches = input_.document_stretches();
    for (DocumentStretch& stretch : stretches) {
      stretch.cursor = std::make_unique<StoppableDocuments>(std::move(stretch.cursor), signal_);
    }
    return stretches;
  }
  std::string name() const override { return input_.name(); }
  bool may_have_dropped() const override { return input_.may_have_dropped(); }

 private:
  const MergeInput& input_;
  const std::atomic<int>& signal_;
};

}  // namespace

OpenSources::OpenSources(std::span<const std::unique_ptr<MergeSource>> sources, unsigned cursors,
                         const std::atomic<int>& signal_number)
    : sources_(sources) {
  try {
    for (const auto& source : sources_) {
      inputs_.push_back(std::make_unique<StoppableInput>(source->open(cursors), signal_number));
      views_.push_back(inputs_.back().get());
      documents_bytes_ = std::max(documents_bytes_, source->documents_bytes(cursors));
    }
  } catch (...) {
    close();
    throw;
  }
}

OpenSources::~OpenSources() { close(); }

void OpenSources::close() {
  for (const auto& source : sources_) source->close();
}

}  // namespace spillway
