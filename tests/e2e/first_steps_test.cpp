#include <algorithm>
#include <regex>
#include <sstream>

#include "e2e/e2e_test.hpp"

// What a new user types wrong, and what the program answers.
namespace flowfabric::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string an_execution = "{fp:7}:550e8400-e29b-41d4-a716-446655440000";
const std::string a_flow = "550e8400-e29b-41d4-a716-446655440000";

// An empty directory, gone with the test.
class FirstSteps : public ::testing::Test {
  protected:
    FirstSteps() {
        std::string pattern = (fs::temp_directory_path() / "ff-first.XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot create " + pattern);
        directory_ = pattern;
    }
    ~FirstSteps() override { fs::remove_all(directory_); }

    std::string path(const std::string& name) const { return (directory_ / name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name)) << text;
        return path(name);
    }
    Finished run(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--store", "sqlite:" + path("store.db")});
        return run_ff(std::move(arguments));
    }
    bool is_empty() const { return fs::is_empty(directory_); }

    fs::path directory_;
};

TEST_F(FirstSteps, ACommandThatReadsNeverCreatesADatabase) {
    for (const std::vector<std::string>& reading :
         std::vector<std::vector<std::string>>{{"list"},
                                               {"get", an_execution},
                                               {"explain", an_execution},
                                               {"attempts", an_execution},
                                               {"cancel", an_execution},
                                               {"tail"},
                                               {"workers"},
                                               {"stats"},
                                               {"lanes"},
                                               {"settings"},
                                               {"keys"},
                                               {"keys", "reseal"},
                                               {"consumers"},
                                               {"consumers", "remove", "billing"},
                                               {"flow", "list"},
                                               {"flow", "show", a_flow},
                                               {"flow", "edges", a_flow, an_execution},
                                               {"flow", "tag", a_flow, "team.name"},
                                               {"flow", "tag", a_flow, "team.name", "blue"},
                                               {"flow", "cancel", a_flow},
                                               {"doctor"}}) {
        const Finished finished = run(reading);
        const std::string command = testing::PrintToString(reading);
        EXPECT_EQ(finished.status, 1) << command;
        // The doctor's answer is a finding, everybody else's an error.
        EXPECT_THAT(finished.errors + finished.output,
                    AllOf(HasSubstr("there is no database '" + path("store.db") + "'"), HasSubstr("`ff migrate`")))
            << command;
        EXPECT_TRUE(is_empty()) << command << " left something behind";
    }
}

TEST_F(FirstSteps, ASettingMayBeChangedBeforeThereIsADatabase) {
    EXPECT_EQ(run({"settings", "set", "execution_retention", "30d"}).output, "execution_retention: 7d -> 30d\n");
    EXPECT_FALSE(is_empty());
}

TEST_F(FirstSteps, AStoreOnTheCommandLineWinsOverTheEnvironments) {
    const auto ask = [&](std::vector<std::string> arguments) {
        arguments = ff(std::move(arguments));
        arguments.insert(arguments.begin(), {"env", "FF_STORE=sqlite:" + path("environment.db")});
        Process asking(std::move(arguments));
        EXPECT_EQ(asking.wait(), 1);
        return asking.errors();
    };
    EXPECT_THAT(ask({"list"}), HasSubstr(path("environment.db")));
    EXPECT_THAT(ask({"list", "--store", "sqlite:" + path("mine.db")}), HasSubstr(path("mine.db")));
    EXPECT_THAT(ask({"flow", "list", "--store", "sqlite:" + path("mine.db")}), HasSubstr(path("mine.db")));
}

TEST_F(FirstSteps, AStoreMayBeNamedByAFile) {
    const auto with = [](const std::string& variable, std::vector<std::string> arguments) {
        arguments = ff(std::move(arguments));
        arguments.insert(arguments.begin(), {"env", variable});
        return run_program(std::move(arguments));
    };
    const std::string named = "FF_STORE_FILE=" + write("url", "sqlite:" + path("named.db") + "\n");
    EXPECT_EQ(with(named, {"migrate"}).status, 0);
    EXPECT_TRUE(fs::exists(path("named.db")));
    EXPECT_THAT(with(named, {"doctor"}).output, HasSubstr(path("named.db")));
    const auto submitted = with(named, {"submit", "--kind", "mail"});
    ASSERT_EQ(submitted.status, 0) << submitted.errors;
    // The program of a task finds the same store.
    const auto worked =
        with(named, {"worker", "--max-tasks", "1", "--", FF_BINARY, "task", "progress", "40", "two of five"});
    EXPECT_EQ(worked.status, 0) << worked.errors;
    const std::string id = submitted.output.substr(0, submitted.output.find('\n'));
    EXPECT_THAT(with(named, {"get", id}).output, AllOf(HasSubstr("completed"), HasSubstr("two of five")));
    EXPECT_THAT(with(named, {"list", "--store", "sqlite:" + path("mine.db")}).errors, HasSubstr(path("mine.db")));

    EXPECT_THAT(with("FF_STORE_FILE=" + path("missing"), {"list"}).errors, HasSubstr("FF_STORE_FILE"));
    EXPECT_THAT(with("FF_STORE_FILE=" + write("empty", "\n"), {"list"}).errors, HasSubstr("is empty"));
}

TEST_F(FirstSteps, APasswordThatEveryUserSeesIsWarnedAbout) {
    const auto list = [](const std::string& store, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"list", "--store", store});
        return run_ff(std::move(more));
    };
    const std::string url = "postgres://me:hush@127.0.0.1:1/db";
    EXPECT_THAT(list(url).errors,
                AllOf(HasSubstr("ff: warning: "), HasSubstr("FF_STORE_FILE"), Not(HasSubstr("hush"))));
    EXPECT_THAT(list("postgres://me@127.0.0.1:1/db").errors, Not(HasSubstr("warning")));
    EXPECT_TRUE(boost::json::parse(list(url, {"--json"}).errors).is_object())
        << "for programs there is the error alone";
    const auto server = run_ff({"server", "--listen", "127.0.0.1:0", "--store", url});
    EXPECT_EQ(server.status, 1);
    EXPECT_THAT(server.errors, AllOf(HasSubstr("FF_STORE_FILE"), Not(HasSubstr("hush"))));
}

TEST_F(FirstSteps, TwoSlashesAreRefusedWithTheRightSpelling) {
    const Finished finished = run_ff({"submit", "--kind", "mail", "--store", "sqlite://tmp/x.db"});
    EXPECT_EQ(finished.status, 1);
    EXPECT_THAT(finished.errors, AllOf(HasSubstr("sqlite:/tmp/x.db"), HasSubstr("sqlite:tmp/x.db")));
}

TEST_F(FirstSteps, AFlowsIdIsRecognisedWhereAnExecutionsIsAskedFor) {
    const ScratchFile file;
    std::ofstream(file.path()) << R"({"flow_kind": "k", "flow_id": ")" << a_flow
                               << R"(", "nodes": [{"name": "a", "execution": {"execution_kind": "k"}}]})";
    ASSERT_EQ(run({"flow", "submit", file.path()}).status, 0);
    for (const std::string command : {"get", "explain", "attempts", "cancel"}) {
        const Finished finished = run({command, a_flow});
        EXPECT_EQ(finished.status, 1);
        EXPECT_THAT(finished.errors, HasSubstr("that is a flow; try `ff flow show " + a_flow + "`")) << command;
    }
    EXPECT_THAT(run({"flow", "edges", a_flow, a_flow}).errors, HasSubstr("that is a flow"));
}

TEST_F(FirstSteps, AnExecutionsIdIsRecognisedWhereAFlowsIsAskedFor) {
    ASSERT_EQ(run({"migrate"}).status, 0);
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"flow", "show", an_execution}, {"flow", "cancel", an_execution}, {"flow", "tag", an_execution, "a.b"}}) {
        const Finished finished = run(command);
        EXPECT_EQ(finished.status, 1);
        EXPECT_THAT(finished.errors, HasSubstr("that is an execution; try `ff get '" + an_execution + "'`"));
    }
}

TEST_F(FirstSteps, ALaneThatNobodyKnewIsSaidToBeNew) {
    EXPECT_EQ(run({"lanes", "pause", "mial"}).output,
              "lane mial: new -> paused; there was no such lane, now there is\n");
    EXPECT_EQ(run({"lanes", "pause", "mial"}).output, "lane mial: paused -> paused\n");
}

TEST_F(FirstSteps, RolesAreForPostgresOnly) {
    const Finished finished = run({"migrate", "--roles"});
    EXPECT_EQ(finished.status, 1);
    EXPECT_THAT(finished.errors, HasSubstr("only PostgreSQL has roles"));
}

TEST_F(FirstSteps, AnErrorInJsonHasItsPlace) {
    EXPECT_THAT(run({"submit", "--kind", "mail", "--policy", "{\"priority\": }"}).errors, HasSubstr("column 14: "));
    const std::string lines = write("lines", "{\"execution_kind\": \"a\"}\n{\"execution_kind\": oops}\n");
    EXPECT_THAT(run({"submit", "--many", lines}).errors, HasSubstr("line 2: JSON: column 20: "));
    const std::string flow = write("flow", "{\n  \"flow_kind\": \"a\",\n  \"nodes\": [,]\n}\n");
    EXPECT_THAT(run({"flow", "submit", flow}).errors, HasSubstr("line 3, column 13: "));
}

TEST_F(FirstSteps, AMessageHasNoLiteralLineBreaks) {
    const Finished finished = run_ff({"list", "--store", "postgres://postgres@127.0.0.1:1/postgres"});
    EXPECT_EQ(finished.status, 1);
    EXPECT_THAT(finished.errors, Not(HasSubstr("\\n")));
    EXPECT_EQ(std::ranges::count(finished.errors, '\n'), 1) << finished.errors;
}

// Numbers and folders are of a machine and of a version, and columns are as wide as what is in them.
std::string without_numbers(const std::string& text) {
    const std::string plain = std::regex_replace(text, std::regex("[0-9][0-9.]*"), "N");
    return std::regex_replace(std::regex_replace(plain, std::regex("MiB in .*"), "MiB in …"), std::regex(" +"), " ");
}

TEST_F(FirstSteps, TheDoctorsPageIsWhatItPrints) {
    std::ifstream page(std::string(FF_SOURCE_DIR) + "/docs/cli.md");
    const std::string text{std::istreambuf_iterator<char>(page), {}};
    const std::string prompt = "$ ff doctor --store sqlite:flowfabric.db\n";
    const auto start = text.find(prompt);
    ASSERT_NE(start, std::string::npos);
    const auto shown = text.substr(start + prompt.size(), text.find("$ echo", start) - start - prompt.size());

    const std::string program = ff({}).front();
    Process doctor({"sh", "-c",
                    "cd \"$1\" && \"$2\" migrate --store sqlite:flowfabric.db >&2 && "
                    "exec \"$2\" doctor --store sqlite:flowfabric.db",
                    "sh", directory_.string(), program});
    EXPECT_EQ(doctor.wait(), 0);
    EXPECT_EQ(without_numbers(shown), without_numbers(doctor.output()));
}

}  // namespace
}  // namespace flowfabric::test
