#include "tools/options/index.hpp"

#include <libstemmer.h>

#include <algorithm>

#include "corpora/records/tsv.hpp"
#include "corpora/warc/date.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/interface/record_sorter.hpp"
#include "sort/interface/string_sorter.hpp"
#include "sort/sorters.hpp"
#include "text/analysis/analyzer.hpp"
#include "tools/cli/option_values.hpp"
#include "tools/options/job.hpp"

namespace spillway {

namespace options = boost::program_options;

namespace {

constexpr std::size_t kStopFileBytes = std::size_t{16} << 20;

std::vector<std::string> stemmer_names() {
  std::vector<std::string> names{"none"};
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) names.emplace_back(*name);
  return names;
}

std::vector<std::string> corpus_format_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kCorpusFormatCount; ++i) {
    names.emplace_back(corpus_format_name(static_cast<CorpusFormat>(i)));
  }
  return names;
}

std::vector<std::string> record_sorter_names() {
  std::vector<std::string> names{"auto", "cpu-chunk"};
  for (const RecordSorter* sorter : record_sorters()) names.emplace_back(sorter->name());
  for (const RecordSorter* sorter : gpu_record_sorters()) names.emplace_back(sorter->name());
  return names;
}

std::vector<std::string> string_sorter_names() {
  std::vector<std::string> names{"auto"};
  for (const StringSorter* sorter : string_sorters()) names.emplace_back(sorter->name());
  for (const std::string_view name : gpu_string_sorter_names()) names.emplace_back(name);
  return names;
}

void take_name(const Arguments& arguments, const char* option, std::string& value) {
  if (const auto text = arguments.text(option)) {
    const std::vector<std::string>& names = arguments.choices(option);
    value = names[parse_choice(std::string("--") + option, *text, names)];
  }
}

void take_list(const Arguments& arguments, const char* option, std::vector<std::string>& value) {
  if (const auto text = arguments.text(option)) value = parse_list(std::string("--") + option, *text);
}

// "I/N".
void take_part(const Arguments& arguments, CorpusOptions& corpus) {
  const auto text = arguments.text("part");
  if (!text) return;
  const std::size_t slash = text->find('/');
  if (slash == std::string::npos) throw UsageError("--part '" + printable(*text) + "': expected I/N, such as 2/4");
  corpus.part_count = static_cast<std::uint32_t>(parse_count("--part N", text->substr(slash + 1), 1, 1'000'000));
  corpus.part_number =
      static_cast<std::uint32_t>(parse_count("--part I", text->substr(0, slash), 1, corpus.part_count));
}

// "0.05" or "5%".
void take_error_rate(const Arguments& arguments, double& rate) {
  const auto text = arguments.text("max-error-rate");
  if (!text) return;
  rate = text->ends_with('%') ? parse_real("--max-error-rate", text->substr(0, text->size() - 1), 0, 100) / 100
                              : parse_real("--max-error-rate", *text, 0, 1);
}

std::string stop_words(const std::string& choice, const ContentOptions& content, FileSystem& files,
                       const std::function<void()>& wait_check) {
  if (choice == "none") return "";
  if (choice == "english") return normalize_stop_words(english_stop_words(), content);
  if (!files.status(choice)) {
    throw UsageError("--stop '" + printable(choice) + "': expected none, english or a file with one word per line");
  }
  std::string words = normalize_stop_words(read_stream(files, choice, kStopFileBytes, wait_check), content);
  if (words.empty()) throw UsageError("--stop '" + printable(choice) + "': there is no word in this file");
  return words;
}

ContentOptions content_options(const Arguments& arguments, FileSystem& files, const std::function<void()>& wait_check,
                               const ContentOptions& defaults) {
  ContentOptions content = analysis_options(arguments, files, wait_check, defaults);
  if (arguments.has("positions")) content.positions = true;
  take_choice(arguments, "store", content.store);
  take_size(arguments, "max-document-bytes", content.max_document_bytes, content.max_document_bytes);
  return content;
}

std::vector<std::string> warc_type_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kWarcTypeCount; ++i) names.emplace_back(warc_type_name(static_cast<WarcType>(i)));
  return names;
}

void take_crawl(const Arguments& arguments, CrawlOptions& crawl) {
  if (const auto text = arguments.text("warc-types")) {
    crawl.types = 0;
    for (const std::string& name : parse_list("--warc-types", *text)) {
      crawl.types |= CrawlOptions::bit(static_cast<WarcType>(parse_choice("--warc-types", name, warc_type_names())));
    }
  }
  if (const auto text = arguments.text("media")) {
    crawl.html = crawl.text = false;
    for (const std::string& kind : parse_list("--media", *text)) {
      (parse_choice("--media", kind, {"html", "text"}) == 0 ? crawl.html : crawl.text) = true;
    }
  }
  if (const auto text = arguments.text("since")) {
    crawl.since = parse_crawl_date(*text);
    if (!crawl.since) {
      throw UsageError("--since '" + printable(*text) +
                       "': expected a date such as 2024-05-17 or 2024-05-17T12:30:00Z");
    }
  }
  take_choice(arguments, "revisits", crawl.revisits);
  const auto text = arguments.text("http-status");
  if (!text) return;
  crawl.statuses.clear();
  if (*text == "any") return;
  for (const std::string& status : parse_list("--http-status", *text)) {
    crawl.statuses.push_back(static_cast<unsigned>(parse_count("--http-status", status, 100, 999)));
  }
}

CorpusOptions corpus_options(const Arguments& arguments) {
  CorpusOptions corpus;
  take_choice(arguments, "format", corpus.format);
  const struct {
    const char* option;
    std::vector<std::string> FieldNames::*list;
  } fields[] = {{"id-field", &FieldNames::id},
                {"title-field", &FieldNames::title},
                {"text-field", &FieldNames::text},
                {"url-field", &FieldNames::url},
                {"date-field", &FieldNames::date}};
  for (const auto& field : fields) {
    for (FieldNames* names : {&corpus.fields, &corpus.trec_fields, &corpus.tsv_fields}) {
      take_list(arguments, field.option, names->*field.list);
    }
  }
  if (corpus.format == CorpusFormat::kTsv) check_tsv_fields(corpus.tsv_fields);
  take_crawl(arguments, corpus.crawl);
  take_part(arguments, corpus);
  return corpus;
}

void refuse_conflicts(const Arguments& arguments, const CorpusOptions& corpus) {
  refuse_both(arguments, "quiet", "verbose");
  refuse_both(arguments, "skipped", "resumable");  // a job that goes on would list only what it reads itself
  refuse_both(arguments, "quiet", "progress");
  if (arguments.has("since") && corpus.format != CorpusFormat::kAuto && corpus.format != CorpusFormat::kWarc) {
    throw UsageError("--since goes by the dates of the records of a crawl: it needs --format warc or auto");
  }
  if (corpus.crawl.revisits == Revisits::kFollow && corpus.format != CorpusFormat::kAuto &&
      corpus.format != CorpusFormat::kWarc) {
    throw UsageError("--revisits follow is for records of a crawl: it needs --format warc or auto");
  }
  const bool has_fields =
      corpus.format != CorpusFormat::kLines && !is_document_a_file(corpus.format) && !is_archive(corpus.format);
  if (has_fields) return;
  for (const char* field : {"id-field", "title-field", "text-field", "url-field", "date-field"}) {
    if (arguments.has(field)) {
      throw UsageError(std::string("--") + field +
                       " names JSON members, trec elements or tsv columns: it needs --format jsonl, trec, tsv or auto");
    }
  }
}

// "first, second, ... or last"; `first` replaces the first of `names`.
std::string listed(std::string first, const std::vector<std::string>& names) {
  for (std::size_t i = 1; i < names.size(); ++i) first += (i + 1 < names.size() ? ", " : " or ") + names[i];
  return first;
}

// Parses "0,2"; refuses a GPU that is named twice.
std::vector<int> gpu_ids(const std::string& text) {
  std::vector<int> ids;
  for (const std::string& part : parse_list("--gpu", text)) {
    const int id = static_cast<int>(parse_count("--gpu", part, 0, 1023));
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) throw UsageError("--gpu " + part + ": named twice");
    ids.push_back(id);
  }
  return ids;
}

}  // namespace

std::vector<options::options_description> planned_option_groups() {
  auto input = option_group("Input"), content = option_group("What the index holds"),
       resources = option_group("Resources");
  add_choice(
      input, "format", "NAME", corpus_format_names(),
      "auto (default: html, jsonl, tar, trec, warc or text, by content), html (a page per file, or per member of a tar "
      "file), jsonl, lines (a document per line), tar (a page or text per member), text (a document per file), trec "
      "(<DOC> elements), tsv (id, title, text) or warc (WARC and ARC files, WET)");
  add_value(input, "id-field", "NAMES",
            "JSON members, trec elements or numbers of tsv columns that may hold the id; the first present one counts "
            "(default id,docid,_id; docno; 1)");
  add_value(input, "title-field", "NAMES", "... with the title (default title; title,headline,hl,head; 2 of 3)");
  add_value(input, "text-field", "NAMES",
            "... with the text (default text,contents,content,body; all other elements; the last of 2 or 3)");
  add_value(input, "url-field", "NAMES", "... with the address (default url)");
  add_value(input, "date-field", "NAMES", "... with the date (default date)");
  add_value(input, "warc-types", "NAMES",
            "types of records of a WARC that are documents (default response,resource,conversion)");
  add_value(input, "http-status", "CODES", "status of the responses that are documents, or any (default 200)");
  add_value(input, "media", "KINDS", "kinds of pages of a crawl that are documents (default html,text)");
  add_value(input, "since", "DATE", "leave out the records of a crawl from before DATE, such as 2024-05-17 (UTC)");
  add_choice(
      input, "revisits", "WHAT", revisits_names(),
      "records of a crawl that say that a page had not changed: skip (default), or follow: each is a document with "
      "the text of the record that it refers to (reads the input twice)");
  add_value(input, "part", "I/N", "index only part I of N of the input");
  add_analysis_options(content);
  add_value(content, "max-document-bytes", "SIZE", "skip and count longer documents (default 64M)");
  add_duplicate_ids_option(content);
  add_choice(
      content, "dedup", "WHAT", dedup_names(),
      "none (default), exact: leave out and count documents whose title and text an earlier one has, or url: those "
      "whose URL one has");
  add_flag(content, "positions", "store the position of every occurrence, for phrases (about five times the size)");
  add_choice(content, "store", "WHAT", {"none", "meta", "text"},
             "besides the id: meta (default: title, url, date), text (also the text, compressed) or none");
  add_resource_options(resources);
  add_choice(resources, "mode", "NAME", index_mode_names(),
             "auto (default: gpu+ if a usable GPU saves time, else cpu+), cpu+ and gpu+ (parsing, sorting and writing "
             "overlap), cpu and gpu (one after the other)");
  add_value(resources, "gpu", "IDS", "numbers of the GPUs that sort, such as 0 or 0,1 (default: the first usable one)");
  add_value(resources, "gpu-memory", "SIZE", "memory to use on each GPU (default: four fifths of what is free)");
  add_choice(
      resources, "gpu-chunks", "FORM", gpu_chunks_names(),
      "what a GPU receives: tokens (every token; parsing looks no word up), tables (term tables and occurrences) or "
      "auto (default: tokens if GPU memory allows)");
  add_choice(
      resources, "gpu-merge", "WHEN", gpu_merge_names(),
      "whether a GPU that sorted the blocks merges their lists, too: auto (default: where the merge is long), always "
      "or never");
  add_flag(resources, "require-gpu", "fail (exit 6) rather than sort on the CPU");
  for (const auto& [option, names] :
       {std::pair{"record-sorter", record_sorter_names()}, std::pair{"string-sorter", string_sorter_names()}}) {
    add_choice(resources, option, "NAME", names, listed("auto (default)", names).c_str());
  }
  add_scratch_options(resources);
  add_value(resources, "block-bytes", "SIZE", "sort blocks of this size (default: planned)");
  return {input, content, resources};
}

void add_analysis_options(options::options_description& group) {
  add_choice(group, "tokenizer", "NAME", {"unicode", "ascii"},
             "unicode (default) or ascii: maximal sequences of letters and digits, lower-cased");
  add_choice(group, "stop", "LIST", {"none", "english"},
             "words to leave out: none (default), english, or a file with one word per line");
  add_choice(group, "stem", "LANGUAGE", stemmer_names(),
             "none (default), porter, or a Snowball stemmer such as english");
  add_value(group, "max-term-bytes", "N", "drop and count longer tokens (default 255, at most 65535)");
}

void add_duplicate_ids_option(options::options_description& group) {
  add_choice(group, "duplicate-ids", "POLICY", {"first", "keep", "fail"},
             "first (default: skip and count later documents), keep or fail");
}

ContentOptions analysis_options(const Arguments& arguments, FileSystem& files, const std::function<void()>& wait_check,
                                const ContentOptions& defaults) {
  ContentOptions content = defaults;
  take_choice(arguments, "tokenizer", content.tokenizer);
  take_name(arguments, "stem", content.stemmer);
  take_count(arguments, "max-term-bytes", 1, 65535, content.max_term_bytes);
  take_choice(arguments, "duplicate-ids", content.duplicate_ids);
  if (const auto choice = arguments.text("stop")) content.stop_words = stop_words(*choice, content, files, wait_check);
  return content;
}

void take_error_limits(const Arguments& arguments, double& max_error_rate, bool& strict) {
  refuse_both(arguments, "strict", "max-error-rate");
  take_error_rate(arguments, max_error_rate);
  strict = arguments.has("strict");
}

options::options_description bad_input_option_group() {
  auto errors = option_group("Bad input");
  add_value(errors, "max-error-rate", "RATE",
            "fail if a larger share of records is skipped (default 0.01, which is 1%)");
  add_flag(errors, "strict", "fail at the first record that cannot be indexed");
  return errors;
}

std::vector<options::options_description> index_option_groups() {
  auto output = option_group("Output"), report = option_group("Report");
  add_output_options(output);
  add_report_options(report);
  add_value(report, "skipped", "FILE", "write each record that is not indexed, and why, as a line of JSON");
  std::vector<options::options_description> groups{output};
  for (const auto& group : planned_option_groups()) groups.push_back(group);
  groups.push_back(bad_input_option_group());
  groups.push_back(report);
  return groups;
}

std::vector<options::options_description> plan_option_groups() {
  auto output = option_group("Output");
  add_flag(output, "json", "write a JSON object");
  std::vector<options::options_description> groups{output};
  for (const auto& group : planned_option_groups()) groups.push_back(group);
  return groups;
}

IndexOptions plan_options(const Arguments& arguments, FileSystem& files, const std::function<void()>& wait_check,
                          const ContentOptions& defaults) {
  IndexOptions result;
  result.inputs = arguments.operands();
  result.content = content_options(arguments, files, wait_check, defaults);
  result.corpus = corpus_options(arguments);
  result.corpus.max_document_bytes = result.content.max_document_bytes;
  refuse_conflicts(arguments, result.corpus);
  take_choice(arguments, "dedup", result.dedup);
  if (result.dedup == Dedup::kUrl && result.content.store == StorePolicy::kNone) {
    throw UsageError("--dedup url compares stored URLs, and --store none stores none: choose --store meta or text");
  }
  take_choice(arguments, "mode", result.mode);
  if (const auto text = arguments.text("gpu")) result.gpu.ids = gpu_ids(*text);
  take_size(arguments, "gpu-memory", result.gpu.memory_bytes);
  take_choice(arguments, "gpu-chunks", result.gpu.chunks);
  take_choice(arguments, "gpu-merge", result.gpu.merge);
  result.gpu.required = arguments.has("require-gpu");
  const JobResources resources = job_resources(arguments, files);
  result.memory_bytes = resources.memory_bytes;
  result.threads = resources.threads;
  result.temp_directories = resources.temp_directories;
  result.temp_limit_bytes = resources.temp_limit_bytes;
  take_name(arguments, "record-sorter", result.record_sorter);
  take_name(arguments, "string-sorter", result.string_sorter);
  take_size(arguments, "block-bytes", result.block_bytes);
  take_error_limits(arguments, result.max_error_rate, result.strict);
  return result;
}

IndexOptions index_options(const Arguments& arguments, FileSystem& files, const std::function<void()>& wait_check) {
  const std::string output = output_option(arguments);
  IndexOptions result = plan_options(arguments, files, wait_check);
  result.output = output;
  result.force = arguments.has("force");
  result.resume = resume_options(arguments);
  return result;
}

std::string_view english_stop_words() {
  return "a\nan\nand\nare\nas\nat\nbe\nbut\nby\nfor\nif\nin\ninto\nis\nit\nno\nnot\nof\non\nor\nsuch\nthat\nthe\ntheir"
         "\n"
         "then\nthere\nthese\nthey\nthis\nto\nwas\nwill\nwith\n";
}

}  // namespace spillway
