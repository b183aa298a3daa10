#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/base64.hpp"
#include "e2e/process.hpp"
#include "flowfabric/engine.hpp"
#include "support/fixture.hpp"
#include "support/invariants.hpp"
#include "support/live_store.hpp"

namespace flowfabric::test {

inline std::string text(const boost::json::value& value) {
    return std::string(value.as_string());
}

// Real processes on one live store of the parameter's kind. The invariants hold at the end of every test.
class EndToEnd : public ::testing::TestWithParam<StoreKind> {
  protected:
    void SetUp() override {
        if (have_store(GetParam())) store_ = std::make_unique<LiveStore>(GetParam());
    }
    void TearDown() override {
        if (store_) expect_invariants(*store_->open_backend());
    }

    LiveStore& store() { return *store_; }
    Dump snapshot() { return dump(*store_->open_backend()); }

    // `ff COMMAND --store … ARGUMENTS`
    std::vector<std::string> command(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin() + 1, {"--store", store_->url()});
        return ff(std::move(arguments));
    }
    Finished run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin() + 1, {"--store", store_->url()});
        return run_ff(std::move(arguments));
    }
    // The command must succeed and print one JSON value.
    boost::json::object json_of(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin() + 1, "--json");
        const Finished finished = run(std::move(arguments));
        if (finished.status != 0) throw std::runtime_error(finished.errors);
        return boost::json::parse(finished.output).as_object();
    }
    static void expect_typed_error(const Finished& finished, std::string_view kind) {
        EXPECT_EQ(finished.status, 1);
        EXPECT_EQ(finished.output, "");
        const auto error = boost::json::parse(finished.errors);
        EXPECT_EQ(error.at("error").as_string(), kind);
        EXPECT_FALSE(error.at("detail").as_string().empty());
    }
    std::string submit(std::vector<std::string> options = {}) {
        options.insert(options.begin(), {"submit", "--kind", "test"});
        return std::string(json_of(std::move(options)).at("execution_id").as_string());
    }
    std::string state_of(const std::string& id) { return text(json_of({"get", id}).at("public_state")); }
    std::string result_of(const std::string& id) {
        return from_base64(text(json_of({"get", id}).at("result_b64"))).value();
    }
    void await_state(const std::string& id, const std::string& state) {
        await(id + " " + state, [&] { return state_of(id) == state; });
    }

  private:
    std::unique_ptr<LiveStore> store_;
};

inline auto durable_stores() {
    return ::testing::Values(StoreKind::sqlite, StoreKind::postgres);
}

// A place for what the programs under test leave behind.
class ScratchFile {
  public:
    ScratchFile() {
        std::string pattern = (std::filesystem::temp_directory_path() / "ff-e2e.XXXXXX").string();
        const int file = ::mkstemp(pattern.data());
        if (file < 0) throw std::runtime_error("cannot create " + pattern);
        ::close(file);
        path_ = pattern;
    }
    ~ScratchFile() { std::filesystem::remove(path_); }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;

    const std::string& path() const { return path_; }
    std::string text() const {
        std::ifstream file(path_);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    // Waits until a whole line is there.
    std::string await_text() const {
        await("text in " + path_, [&] { return text().ends_with('\n'); });
        return text();
    }

  private:
    std::string path_;
};

}  // namespace flowfabric::test
