#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "flowfabric/state.hpp"

// The rules of the design that a compiler does not check: what each folder may know, and how large a file may grow.
namespace flowfabric {
namespace {

namespace fs = std::filesystem;

const fs::path root = FF_SOURCE_DIR;

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

bool has_extension(const fs::path& file, const std::set<std::string>& extensions) {
    return extensions.contains(file.extension().string());
}

std::vector<fs::path> files_under(const fs::path& folder, const std::set<std::string>& extensions) {
    std::vector<fs::path> files;
    if (!fs::exists(root / folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        if (entry.is_regular_file() && has_extension(entry.path(), extensions)) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

std::vector<fs::path> sources_under(const fs::path& folder) {
    return files_under(folder, {".hpp", ".cpp"});
}

std::string name_of(const fs::path& file) {
    return fs::relative(file, root).generic_string();
}

// What a file includes, without the quotes or angle brackets.
std::vector<std::string> includes_of(const fs::path& file) {
    std::vector<std::string> includes;
    std::istringstream lines(text_of(file));
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("#include")) continue;
        const auto open = line.find_first_of("<\"");
        const auto close = line.find_first_of(">\"", open + 1);
        if (close != std::string::npos) includes.push_back(line.substr(open + 1, close - open - 1));
    }
    return includes;
}

bool includes_any(const std::string& include, const std::vector<std::string>& forbidden) {
    return std::ranges::any_of(forbidden, [&](const std::string& name) {
        return name.ends_with('/') ? include.starts_with(name) : include == name;
    });
}

const std::vector<std::string> database_headers{"libpq-fe.h", "postgresql/", "libpq/", "sqlite3.h"};
const std::vector<std::string> io_headers{
    "thread",      "mutex",   "shared_mutex", "condition_variable", "atomic",     "future", "stop_token", "semaphore",
    "latch",       "barrier", "fstream",      "iostream",           "filesystem", "cstdio", "stdio.h",    "random",
    "unistd.h",    "fcntl.h", "poll.h",       "pthread.h",          "ctime",      "time.h", "sys/",       "boost/asio/",
    "boost/beast/"};
const std::vector<std::string> clock_headers{"chrono"};

void expect_free_of(const fs::path& folder, const std::vector<std::string>& forbidden,
                    const std::set<std::string>& except = {}) {
    const auto files = sources_under(folder);
    EXPECT_FALSE(files.empty()) << folder;
    for (const fs::path& file : files) {
        if (except.contains(name_of(file))) continue;
        for (const std::string& include : includes_of(file)) {
            EXPECT_FALSE(includes_any(include, forbidden)) << name_of(file) << " includes " << include;
        }
    }
}

TEST(Architecture, CoreAndEngineDoNoInputOrOutputAndReadNoClock) {
    for (const fs::path folder : {"src/core", "src/engine"}) {
        expect_free_of(folder, database_headers);
        expect_free_of(folder, io_headers);
        expect_free_of(folder, clock_headers);
    }
}

TEST(Architecture, PublicHeadersShowNoLibraryAndNoThreads) {
    expect_free_of("include/flowfabric", database_headers);
    expect_free_of("include/flowfabric", io_headers);
    expect_free_of("include/flowfabric", {"boost/", "fmt/", "spdlog/", "openssl/", "CLI/"});
    expect_free_of(
        "include/flowfabric", clock_headers,
        {"include/flowfabric/engine.hpp", "include/flowfabric/observer.hpp", "include/flowfabric/subscription.hpp"});
    for (const fs::path& file : sources_under("include/flowfabric")) {
        const std::string text = text_of(file);
        for (const std::string_view type : {"boost::", "sqlite3_", "PGconn", "PGresult", "pg_conn", "_clock::now"}) {
            EXPECT_EQ(text.find(type), std::string::npos) << name_of(file) << " mentions " << type;
        }
    }
}

TEST(Architecture, PublicHeadersIncludeOnlyEachOther) {
    for (const fs::path& file : sources_under("include/flowfabric")) {
        for (const std::string& include : includes_of(file)) {
            const bool ours = include.starts_with("flowfabric/");
            const bool standard = include.find('/') == std::string::npos && !include.ends_with(".h");
            EXPECT_TRUE(ours || standard) << name_of(file) << " includes " << include;
        }
    }
}

TEST(Architecture, ArrowsGoDownOnly) {
    // Each folder of src/ with those it may include; all may include the public headers. Who starts threads keeps
    // exceptions in as the engine does.
    const std::map<std::string, std::set<std::string>> may_know{
        {"core", {"core"}},
        {"api",
         {"api", "core/base/base64.hpp", "core/base/handle_codec.hpp", "core/base/hex.hpp", "core/base/names.hpp",
          "core/base/trace_context.hpp", "core/signing/signing.hpp"}},
        {"store", {"core", "store"}},
        {"engine", {"core", "store", "engine"}},
        {"runtime", {"core", "store", "engine", "runtime"}},
        {"server",
         {"api", "remote", "server", "core/base/hex.hpp", "core/base/names.hpp", "core/base/partition.hpp",
          "core/base/trace_context.hpp", "core/signing/signing.hpp", "runtime/log.hpp", "runtime/threads/guard.hpp"}},
        {"remote", {"api", "remote", "core/base/hex.hpp", "runtime/threads/guard.hpp"}},
        {"sdk", {"api", "sdk", "runtime/threads/guard.hpp"}},
        {"cli",
         {"api", "remote", "sdk", "server", "cli", "runtime/log.hpp", "runtime/threads/guard.hpp",
          "core/base/base64.hpp", "core/base/hex.hpp", "core/base/partition.hpp"}},
        {"bench", {"api", "sdk", "server", "cli", "bench"}},
    };
    for (const auto& entry : fs::directory_iterator(root / "src")) {
        if (!entry.is_directory()) continue;
        const std::string module = entry.path().filename().string();
        ASSERT_TRUE(may_know.contains(module)) << "src/" << module << " has no place in the architecture";
    }
    for (const auto& [module, known] : may_know) {
        for (const fs::path& file : sources_under("src/" + module)) {
            for (const std::string& include : includes_of(file)) {
                const std::string target = include.substr(0, include.find('/'));
                if (target == "flowfabric" || !may_know.contains(target) || target == include) continue;
                EXPECT_TRUE(known.contains(target) || known.contains(include))
                    << name_of(file) << " includes " << include;
            }
        }
    }
}

TEST(Architecture, TheBaseOfCoreKnowsNoConcept) {
    for (const fs::path& file : sources_under("src/core/base")) {
        for (const std::string& include : includes_of(file)) {
            const bool concept_of_core = include.starts_with("core/") && !include.starts_with("core/base/");
            EXPECT_FALSE(concept_of_core) << name_of(file) << " includes " << include;
        }
    }
}

// A reader is all that a query needs: an engine has one, and so have a simulation and a test.
TEST(Architecture, QueriesKnowTheRulesAndTheStoresPortAlone) {
    const auto files = sources_under("src/engine/queries");
    EXPECT_FALSE(files.empty());
    for (const fs::path& file : files) {
        for (const std::string& include : includes_of(file)) {
            const bool other_part = include.starts_with("engine/") && !include.starts_with("engine/queries/");
            EXPECT_FALSE(other_part) << name_of(file) << " includes " << include;
        }
    }
}

TEST(Architecture, TheEngineKnowsTheStoresPortAndNoStore) {
    for (const std::string module : {"engine", "core", "api", "server", "sdk", "cli", "bench"}) {
        for (const fs::path& file : sources_under("src/" + module)) {
            for (const std::string& include : includes_of(file)) {
                const bool adapter = include.starts_with("store/postgres/") || include.starts_with("store/sqlite/") ||
                                     include.starts_with("store/memory/");
                EXPECT_FALSE(adapter) << name_of(file) << " includes " << include;
            }
        }
    }
    for (const std::string store : {"postgres", "sqlite", "memory"}) {
        for (const fs::path& file : sources_under("src/store/" + store)) {
            for (const std::string& include : includes_of(file)) {
                for (const std::string other : {"postgres", "sqlite", "memory"}) {
                    if (other == store) continue;
                    EXPECT_FALSE(include.starts_with("store/" + other + "/"))
                        << name_of(file) << " includes " << include;
                }
            }
        }
    }
}

TEST(Architecture, NoFileIsLongerThan800Lines) {
    for (const fs::path folder : {"include", "src", "tests", "script", "cmake", "examples", "bench", "docs"}) {
        for (const fs::path& file : files_under(folder, {".hpp", ".cpp", ".sql", ".cmake", ".md", ".ts", ".js", ""})) {
            const bool is_generated = name_of(file).starts_with("tests/golden/");
            if (is_generated) continue;
            const std::string text = text_of(file);
            EXPECT_LE(std::ranges::count(text, '\n'), 800) << name_of(file);
        }
    }
}

template <class E>
void collect_literals(std::vector<std::string>& literals) {
    for (const std::string_view name : enum_names<E>) {
        // `none`, `active`, `failed` and their like are words of other vocabularies too.
        if (name.find('_') == std::string_view::npos && name != "leased" && name != "unowned" && name != "runnable") {
            continue;
        }
        literals.push_back("'" + std::string(name) + "'");
        literals.push_back("\"" + std::string(name) + "\"");
    }
}

TEST(Architecture, StoresNameStatesOnlyInSelectorsAndRowMapping) {
    std::vector<std::string> literals;
    collect_literals<LifecyclePhase>(literals);
    collect_literals<OwnershipState>(literals);
    collect_literals<EligibilityState>(literals);
    collect_literals<BlockingReason>(literals);
    collect_literals<AttemptState>(literals);
    collect_literals<PublicState>(literals);
    ASSERT_GT(literals.size(), 40U);
    for (const fs::path& file : sources_under("src/store")) {
        const std::string name = file.filename().string();
        const bool may =
            name.starts_with("statements") || name.starts_with("row_mapping") || name.starts_with("columns");
        if (may) continue;
        const std::string text = text_of(file);
        for (const std::string& literal : literals) {
            EXPECT_EQ(text.find(literal), std::string::npos) << name_of(file) << " has the state literal " << literal;
        }
    }
}

}  // namespace
}  // namespace flowfabric
