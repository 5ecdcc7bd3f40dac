// Reads a page into text, and makes a document of it: once if the text fits the scratch memory or is kept in a file,
// otherwise twice, to judge it and to hand it out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "corpora/document/sink.hpp"
#include "corpora/document/spool.hpp"
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
  // The same for a page that emit() is not to ask for again: a text that does not fit is kept in a scratch file, up to
  // `most_bytes`. Requires: emit() is called only if document_bytes() is not above that.
  void read_once(const MediaType& declared, const Feed& feed, TempSpace& temp, std::uint64_t most_bytes);
  // Of the page that was read.
  const PageText& page() const { return page_; }
  std::uint64_t document_bytes() const { return text_.bytes() + page_.title().size(); }
  // Hands out the page as a document of `fields`, to which it adds the title. May be called several times. Requires:
  // the page has text.
  void emit(DocumentFields fields, const SourcePlace& place, DocumentSink& sink, const Feed& feed);
  // Removes the scratch file of the page that was read.
  void drop_file() { text_.clear(); }

 private:
  // Counts a text, and keeps it as long as there is room, or all of it in a file.
  class ScratchText final : public TextOutput {
   public:
    explicit ScratchText(std::span<char> room) : room_(room) {}
    void append(std::string_view fragment) override;
    void clear();
    // Gives texts a file from now on, until clear().
    void use_files(TempSpace& temp, std::uint64_t most_bytes) { temp_ = &temp, most_bytes_ = most_bytes; }
    void finish();
    bool fits() const { return bytes_ <= room_.size(); }
    bool is_in_file() const { return file_ != nullptr; }
    std::uint64_t bytes() const { return bytes_; }
    std::string_view text() const { return {room_.data(), static_cast<std::size_t>(bytes_)}; }
    // Requires: is_in_file().
    void hand_out_file(DocumentSink& sink);

   private:
    void flush();
    std::span<char> room_;
    std::size_t used_ = 0;     // of the room
    std::uint64_t bytes_ = 0;  // of the text
    TempSpace* temp_ = nullptr;
    std::uint64_t most_bytes_ = 0;  // in a file
    std::optional<Spool> spool_;
    std::unique_ptr<TempFile> file_;  // after finish()
  };
  void read_text(const Feed& feed);

  PageText page_;
  MediaType type_;
  ScratchText text_;
  std::span<char> scratch_;
};

}  // namespace spillway
