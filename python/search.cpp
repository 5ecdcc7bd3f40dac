// An open index, or several as one collection: search, postings, positions and documents.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <tuple>

#include "io/base/error.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/job_thread.hpp"
#include "search/spillway.hpp"
#include "tools/search/output.hpp"

namespace spillway::python {

namespace {

namespace nb = nanobind;

// Text from an index: ids of old indexes may be broken UTF-8.
nb::object text_of(const std::string& bytes) {
  nb::object text = nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
  if (!text.is_valid()) throw nb::python_error();
  return text;
}

struct Found {
  std::vector<std::uint64_t> offsets{0};  // of each query's first hit, and the end
  std::vector<std::uint32_t> documents;
  std::vector<double> scores;
  std::vector<std::string> ids;

  // `bases`: the number of each index's first document.
  void add(const std::vector<Hit>& hits, const std::vector<std::uint32_t>& bases) {
    for (const Hit& hit : hits) {
      documents.push_back(bases[hit.index] + hit.document);
      scores.push_back(hit.score);
      ids.push_back(hit.id);
    }
    offsets.push_back(documents.size());
  }
  // (offsets, documents, scores, ids)
  nb::tuple to_python() && {
    nb::list texts;
    for (const std::string& id : ids) texts.append(text_of(id));
    return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(documents)), to_numpy(std::move(scores)),
                          texts);
  }
};

std::vector<Hit> answer(Searcher& searcher, const std::string& query, std::size_t k, bool plain) {
  return plain ? searcher.search_plain(query, k) : searcher.search(query, k);
}

class OpenIndex {
 public:
  explicit OpenIndex(const std::vector<std::string>& directories) {
    std::uint64_t documents = 0;
    for (const std::string& directory : directories) {
      indexes_.emplace_back(directory);
      bases_.push_back(static_cast<std::uint32_t>(documents));
      documents += indexes_.back().document_count();
      if (documents > std::numeric_limits<std::uint32_t>::max()) {
        throw Failure(Failure::Kind::kUsage, "the indexes have more than 2^32 - 1 documents together, up to " +
                                                 directory + "; search fewer of them at once");
      }
    }
    document_count_ = static_cast<std::uint32_t>(documents);
    make_searcher({});  // refuses indexes that are not of one kind
  }

  OpenIndex(const OpenIndex&) = delete;  // or the module would try to copy the vector
  OpenIndex& operator=(const OpenIndex&) = delete;

  // The only one, for what a collection has not.
  const Index& index() const { return indexes_.front(); }
  std::uint32_t document_count() const { return document_count_; }

  nb::tuple search(const std::string& query, std::size_t k, bool plain, double k1, double b) const {
    Found found;
    {
      const nb::gil_scoped_release unlocked;
      Searcher searcher = make_searcher({k1, b});
      found.add(answer(searcher, query, k, plain), bases_);
    }
    return std::move(found).to_python();
  }

  nb::tuple search_many(const std::vector<std::string>& queries, std::size_t k, unsigned threads, bool plain, double k1,
                        double b) const {
    std::vector<std::vector<Hit>> answers(queries.size());
    JobThread().run([&](std::atomic<int>& signal_number) {
      std::atomic<std::size_t> next{0};
      std::mutex mutex;
      std::exception_ptr error;
      const auto work = [&] {
        try {
          Searcher searcher = make_searcher({k1, b});
          for (std::size_t i = next++; i < queries.size() && signal_number == 0; i = next++) {
            answers[i] = answer(searcher, queries[i], k, plain);
          }
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (error == nullptr) error = std::current_exception();
          next = queries.size();
        }
      };
      std::vector<std::jthread> others;
      for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
      work();
      others.clear();
      if (error != nullptr) std::rethrow_exception(error);
      if (const int number = signal_number) throw InterruptedError(number);
    });
    Found found;
    for (const std::vector<Hit>& hits : answers) found.add(hits, bases_);
    return std::move(found).to_python();
  }

  // (documents, frequencies)
  nb::tuple postings(const std::string& term) const {
    std::vector<std::uint32_t> documents, frequencies;
    {
      const nb::gil_scoped_release unlocked;
      Postings postings = index().postings(term);
      documents.reserve(postings.document_count());
      frequencies.reserve(postings.document_count());
      while (postings.next()) {
        documents.push_back(postings.document());
        frequencies.push_back(postings.frequency());
      }
    }
    return nb::make_tuple(to_numpy(std::move(documents)), to_numpy(std::move(frequencies)));
  }

  // (documents, offsets, positions)
  nb::tuple positions(const std::string& term) const {
    std::vector<std::uint32_t> documents, positions;
    std::vector<std::uint64_t> offsets{0};
    {
      const nb::gil_scoped_release unlocked;
      if (!index().has_positions()) {
        throw Failure(Failure::Kind::kUsage, "the index has no positions; make it with positions=True (--positions)");
      }
      Postings postings = index().postings(term);
      positions.reserve(postings.occurrence_count());
      while (postings.next()) {
        const std::vector<std::uint32_t> of_document = postings.positions();
        positions.insert(positions.end(), of_document.begin(), of_document.end());
        documents.push_back(postings.document());
        offsets.push_back(positions.size());
      }
    }
    return nb::make_tuple(to_numpy(std::move(documents)), to_numpy(std::move(offsets)), to_numpy(std::move(positions)));
  }

  nb::dict document(std::uint32_t number, bool with_text) const {
    const std::size_t at = index_of(number);
    const StoredFields stored = indexes_[at].document(number - bases_[at]);
    nb::dict fields;
    fields["number"] = number;
    fields["id"] = text_of(stored.id);
    fields["title"] = text_of(stored.title);
    fields["url"] = text_of(stored.url);
    fields["date"] = text_of(stored.date);
    fields["length"] = stored.length;
    if (with_text) fields["text"] = text_of(indexes_[at].text(number - bases_[at]));
    return fields;
  }

  std::vector<std::uint32_t> find(const std::string& id) const {
    std::vector<std::uint32_t> found;
    for (std::size_t i = 0; i < indexes_.size(); ++i) {
      for (const std::uint32_t number : indexes_[i].find(id)) found.push_back(bases_[i] + number);
    }
    return found;
  }

 private:
  Searcher make_searcher(const Ranking& ranking) const {
    return indexes_.size() == 1 ? Searcher(indexes_.front(), ranking) : Searcher(indexes_, ranking);
  }
  // The last index whose first document is not behind this one: empty indexes share their base with the next one.
  std::size_t index_of(std::uint32_t number) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(bases_, number) - bases_.begin()) - 1;
  }

  std::vector<Index> indexes_;
  std::vector<std::uint32_t> bases_;
  std::uint32_t document_count_ = 0;
};

}  // namespace

void bind_search(nb::module_& module) {
  nb::class_<OpenIndex>(module, "Index")
      .def(nb::init<const std::vector<std::string>&>(), nb::arg("directories"))
      .def_prop_ro("document_count", &OpenIndex::document_count)
      .def_prop_ro("term_count", [](const OpenIndex& self) { return self.index().term_count(); })
      .def_prop_ro("has_positions", [](const OpenIndex& self) { return self.index().has_positions(); })
      .def("search", &OpenIndex::search)
      .def("search_many", &OpenIndex::search_many)
      .def("postings", &OpenIndex::postings)
      .def("positions", &OpenIndex::positions)
      .def("document", &OpenIndex::document)
      .def("find", &OpenIndex::find)
      .def("analyze", [](const OpenIndex& self, const std::string& text) {
        nb::list terms;
        for (const std::string& term : self.index().analyze(text)) terms.append(text_of(term));
        return terms;
      });
  module.def("column", [](const std::string& text) { return text_of(SearchOutput::column(text)); });
}

}  // namespace spillway::python
