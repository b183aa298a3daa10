#include "support/live_store.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "runtime/engine_impl.hpp"
#include "runtime/open_store.hpp"
#include "support/sql_session.hpp"

namespace flowfabric::test {
namespace {

template <class T>
T require(Result<T> result) {
    if (!result) throw std::runtime_error(to_string(result.error()));
    return std::move(*result);
}

std::string fresh_directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ff-live.XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot create " + pattern);
    return pattern;
}

std::string server_url() {
    return std::getenv("FF_TEST_POSTGRES");
}

// The server's URL with another database in its path.
std::string url_of_database(const std::string& name) {
    const std::string server = server_url();
    const auto authority = server.find("://") + 3;
    const auto path = std::min(server.find('/', authority), server.size());
    const auto query = std::min(server.find('?', path), server.size());
    return server.substr(0, path) + "/" + name + server.substr(query);
}

}  // namespace

LiveStore::LiveStore(StoreKind kind, Schema schema) {
    switch (kind) {
        case StoreKind::memory:
            memory_ = memory::make_backend();
            return;
        case StoreKind::sqlite: {
            const std::string directory = fresh_directory();
            remove_ = [directory] { std::filesystem::remove_all(directory); };
            url_ = "sqlite:" + directory + "/store.db";
            break;
        }
        case StoreKind::postgres: {
            static std::atomic<int> count = 0;
            const std::string name = "ff_live_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
            SqlSession(server_url()).run("CREATE DATABASE " + name + " TEMPLATE template0");
            remove_ = [name] { SqlSession(server_url()).run("DROP DATABASE " + name + " WITH (FORCE)"); };
            url_ = url_of_database(name);
            break;
        }
    }
    if (schema == Schema::migrated) require(migrate(url_));
}

LiveStore::~LiveStore() {
    try {
        if (remove_) remove_();
    } catch (const std::exception& failure) {
        ADD_FAILURE() << url_ << " is left behind: " << failure.what();
    }
}

bool have_store(StoreKind kind) {
    const Availability availability = availability_of(kind);
    const auto mark_test = [&] {
        if (availability.required) FAIL() << availability.message;
        GTEST_SKIP() << availability.message;
    };
    if (!availability.available) mark_test();
    return availability.available;
}

std::shared_ptr<Backend> LiveStore::open_backend() const {
    return memory_ ? memory_ : require(open_store(url_));
}

std::unique_ptr<Engine> LiveStore::open_engine(EngineOptions options) const {
    options.migrate = false;
    return require(flowfabric::open_engine(open_backend(), std::move(options)));
}

}  // namespace flowfabric::test
