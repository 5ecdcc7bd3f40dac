"""The package as it is installed: what it brings along, and how soon it is there."""

import ctypes
import importlib.metadata
import os
import platform
import subprocess
import sys
import sysconfig

import pytest

import spillway

# Sentences of scripts without blanks, and all words of each that an index finds. ICU splits them by its rules and
# dictionaries (brkitr/): without one of these it makes one word of each run, and says nothing.
WORDS = {
    "ja": ("日本語の文章を分割する", ["日本語", "の", "文章", "を", "分割", "する"]),
    "zh": ("我们喜欢阅读中文书籍", ["我们", "喜欢", "阅读", "中文", "书籍"]),
    "th": ("ภาษาไทยเขียนติดกัน", ["ภาษา", "ไทย", "เขียน", "ติด", "กัน"]),
    "lo": ("ພາສາລາວຂຽນຕິດກັນ", ["ພາສາ", "ລາວ", "ຂຽນ", "ຕິດກັນ"]),
    "km": ("ភាសាខ្មែរសរសេរជាប់គ្នា", ["ភាសាខ្មែរ", "សរសេរ", "ជាប់គ្នា"]),
    "my": ("မြန်မာဘာသာစကား", ["မြန်မာဘာသာ", "စကား"]),
}


@pytest.mark.parametrize("language", WORDS)
def test_words_without_blanks_are_found(tmp_path, language):
    text, words = WORDS[language]
    spillway.index([("1", text)], tmp_path / "i", progress=False)
    index = spillway.Index(tmp_path / "i")
    assert index.analyze(text) == words
    assert all(len(index.postings(word)[0]) == 1 for word in words)


def test_version_and_files():
    assert importlib.metadata.version("spillway") == spillway.__version__
    names = {path.name for path in importlib.metadata.files("spillway")}
    assert {"py.typed", "_engine.pyi", "pyterrier.py"} <= names


def test_one_module_for_python_3_12_and_later():
    """For the stable ABI, where there is one with what the module needs; a free-threaded Python has none."""
    from spillway import _engine

    is_free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    is_stable = _engine.__file__.endswith(".abi3.so")
    assert is_stable == (sys.version_info >= (3, 12) and not is_free_threaded)


def test_the_module_does_not_declare_that_it_needs_no_lock():
    """So that a free-threaded Python enables its lock when it loads the module."""
    from spillway import _engine

    get_definition = ctypes.pythonapi.PyModule_GetDef
    get_definition.restype, get_definition.argtypes = ctypes.c_void_p, [ctypes.py_object]
    definition = get_definition(_engine)
    assert definition
    # Of a PyModuleDef: its base, which begins with an object; m_name, m_doc, m_size, m_methods, m_slots.
    at_slots = object.__basicsize__ + 3 * ctypes.sizeof(ctypes.c_void_p) + 4 * ctypes.sizeof(ctypes.c_void_p)
    at = ctypes.c_void_p.from_address(definition + at_slots).value
    slots = {}
    while at and (number := ctypes.c_int.from_address(at).value) != 0:
        slots[number] = ctypes.c_void_p.from_address(at + 8).value
        at += 16
    execute, about_the_lock, lock_is_not_used = 2, 4, 1  # Py_mod_exec, Py_mod_gil, Py_MOD_GIL_NOT_USED
    assert execute in slots
    assert slots.get(about_the_lock) != lock_is_not_used


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has its lock always")
def test_a_free_threaded_python_gets_its_lock_back():
    code = (
        "import sys; before = sys._is_gil_enabled(); import spillway; spillway.sort_strings(['b', 'a']); "
        "print(before, sys._is_gil_enabled())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
    assert "has been enabled to load module 'spillway._engine'" in done.stderr


def test_platform():
    assert sys.platform == "linux" and platform.machine() == "x86_64"


def test_bundled_libraries():
    """A wheel of tools/wheel brings its libraries along: all but those of glibc and GCC."""
    tags = importlib.metadata.distribution("spillway").read_text("WHEEL")
    if "manylinux" not in tags:
        pytest.skip("built from a checkout, with the system's libraries")
    with open("/proc/self/maps") as maps:
        loaded = {line.split()[-1] for line in maps if ".so" in line}
    ours = {os.path.basename(path) for path in loaded if "spillway.libs" in path}
    assert any(name.startswith("libicudata") for name in ours)
    assert not [path for path in loaded if "/libicu" in path and "spillway.libs" not in path]


def test_import_takes_no_time():
    """Counts modules: a time would depend on what else the machine does."""
    code = "import sys; before = set(sys.modules); import spillway; spillway.index; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"numpy", "pandas", "pyarrow", "polars", "datasets", "pyterrier", "pyspark", "asyncio", "ssl"}
    assert not heavy & {name.partition(".")[0] for name in done.stdout.split()}


def test_the_program_loads_what_it_needs_only(tmp_path):
    """Each task of a job on Spark starts it: with all modules, 0.06 s instead of 0.03 s."""
    (tmp_path / "a.jsonl").write_text('{"id": "1", "text": "x"}\n')
    code = (
        "import sys; from spillway.command import main; "
        "sys.argv[1:] = ['index', 'a.jsonl', '-o', 'a.index', '--quiet']; assert main() == 0; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    not_needed = {"email", "concurrent.futures", "dataclasses", "numpy", "pyarrow", "spillway._columns"}
    assert not not_needed & set(done.stdout.split())


def test_without_the_native_module(tmp_path):
    """As where the package was copied to another platform."""
    import shutil

    source = os.path.dirname(spillway.__file__)
    shutil.copytree(source, tmp_path / "spillway", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    code = "import sys; sys.path.insert(0, sys.argv[1]); import spillway.errors; spillway.index"
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1 and "ImportError: spillway has no native module for CPython 3." in done.stderr
    assert "Linux x86-64" in done.stderr
