#include "support/live_store.hpp"

#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "runtime/engine_impl.hpp"
#include "runtime/open_store.hpp"

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
        case StoreKind::postgres:
            database_ = std::make_unique<PostgresDatabase>(schema);
            url_ = database_->url();
            return;
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
    if (!options.default_retry_policy) options.default_retry_policy = RetryPolicy{.max_retries = 0};
    return require(flowfabric::open_engine(open_backend(), std::move(options)));
}

}  // namespace flowfabric::test
