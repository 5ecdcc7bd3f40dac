#include "corpora/unpack/zip_library.hpp"

#include <dlfcn.h>

#include <string>

#include "io/base/error.hpp"

namespace spillway {

namespace {

[[noreturn]] void refuse() {
  const char* const why = dlerror();
  throw IoError("zip files, as WACZ is one, need libzip (Debian: apt install libzip4): " +
                std::string(why == nullptr ? "it cannot be loaded" : why));
}

// It stays loaded until the process ends.
void* load() {
  for (const char* const name : {"libzip.so.5", "libzip.so.4"}) {
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  refuse();
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) refuse();
}

}  // namespace

ZipLibrary::ZipLibrary() {
  void* const library = load();
  find(library, "zip_discard", discard);
  find(library, "zip_error_fini", error_fini);
  find(library, "zip_error_init", error_init);
  find(library, "zip_error_set", error_set);
  find(library, "zip_error_strerror", error_strerror);
  find(library, "zip_error_to_data", error_to_data);
  find(library, "zip_fclose", fclose);
  find(library, "zip_file_strerror", file_strerror);
  find(library, "zip_fopen_index", fopen_index);
  find(library, "zip_fread", fread);
  find(library, "zip_get_name", get_name);
  find(library, "zip_get_num_entries", get_num_entries);
  find(library, "zip_open_from_source", open_from_source);
  find(library, "zip_source_free", source_free);
  find(library, "zip_source_function_create", source_function_create);
  find(library, "zip_source_make_command_bitmap", source_make_command_bitmap);
  find(library, "zip_source_seek_compute_offset", source_seek_compute_offset);
  find(library, "zip_stat_index", stat_index);
  find(library, "zip_stat_init", stat_init);
  find(library, "zip_strerror", strerror);
}

const ZipLibrary& zip_library() {
  static const ZipLibrary library;
  return library;
}

}  // namespace spillway
