// Reads a page into text, and makes a document of it: once if the text fits the scratch memory, otherwise twice, to
// judge it and to hand it out.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "corpora/document/sink.hpp"
#include "corpora/document/utf8.hpp"
#include "corpora/http/body_stage.hpp"
#include "corpora/records/page_text.hpp"

namespace spillway {

class PageReader {
 public:
  // Hands the bytes of the page to its argument, the same ones each time, until that returns false.
  using Feed = std::function<void(BodyOutput&)>;

  // `scratch` must outlive this object.
  explicit PageReader(std::span<char> scratch) : text_(scratch), scratch_(scratch) {}
  static std::size_t memory_bytes() { return std::size_t{256} << 10; }

  void read(const MediaType& declared, const Feed& feed);
  // Of the page that was read.
  const PageText& page() const { return page_; }
  std::uint64_t document_bytes() const { return text_.bytes() + page_.title().size(); }
  // Hands out the page as a document of `fields`, to which it adds the title. Requires: the page has text.
  void emit(DocumentFields fields, const SourcePlace& place, DocumentSink& sink, const Feed& feed);

 private:
  // Counts a text, and keeps it as long as there is room.
  class ScratchText final : public TextOutput {
   public:
    explicit ScratchText(std::span<char> room) : room_(room) {}
    void append(std::string_view fragment) override;
    void clear() { bytes_ = 0; }
    bool fits() const { return bytes_ <= room_.size(); }
    std::uint64_t bytes() const { return bytes_; }
    std::string_view text() const { return {room_.data(), static_cast<std::size_t>(bytes_)}; }

   private:
    std::span<char> room_;
    std::uint64_t bytes_ = 0;
  };

  PageText page_;
  MediaType type_;
  ScratchText text_;
  std::span<char> scratch_;
};

}  // namespace spillway
