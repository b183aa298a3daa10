#include <fstream>

#include "e2e/e2e_test.hpp"

namespace flowfabric::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A small file system that only the programs of the test see, in a mount namespace of their own.
class FullDisk : public ::testing::Test {
  protected:
    void SetUp() override {
        if (Process({"unshare", "--map-root-user", "--mount", "true"}).wait() != 0) {
            GTEST_SKIP() << "this machine lets nobody make a mount namespace";
        }
        std::string pattern = (std::filesystem::temp_directory_path() / "ff-disk.XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot create " + pattern);
        directory_ = pattern;
        holder_ = std::make_unique<Process>(std::vector<std::string>{
            "unshare", "--map-root-user", "--mount", "sh", "-c",
            "mount -t tmpfs -o size=16m tmpfs \"$0\" && echo mounted && exec sleep infinity", directory_});
        holder_->await_line("mounted");
    }
    void TearDown() override {
        holder_.reset();
        if (!directory_.empty()) std::filesystem::remove(directory_);
    }

    std::vector<std::string> inside(std::vector<std::string> command) const {
        std::vector<std::string> entered{"nsenter", "--target", std::to_string(holder_->id()),
                                         "--user",  "--mount",  "--preserve-credentials"};
        entered.insert(entered.end(), command.begin(), command.end());
        return entered;
    }
    std::vector<std::string> ff_inside(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin() + 1, {"--store", "sqlite:" + directory_ + "/store.db"});
        arguments.insert(arguments.begin(), FF_BINARY);
        return inside(std::move(arguments));
    }
    static void run(const std::vector<std::string>& command) {
        Process process(command);
        ASSERT_EQ(process.wait(), 0) << process.errors();
    }
    void fill() const {
        run(inside({"sh", "-c", "! dd if=/dev/zero of=\"$0/filling\" bs=4k 2>/dev/null", directory_}));
    }
    void make_room() const { run(inside({"rm", directory_ + "/filling"})); }

    void expect_doctor_to_name_it() const {
        Process doctor(ff_inside({"doctor"}));
        EXPECT_EQ(doctor.wait(), 1);
        EXPECT_THAT(doctor.output(), HasSubstr("DANGER  free space"));
    }

  private:
    std::string directory_;
    std::unique_ptr<Process> holder_;
};

TEST_F(FullDisk, ASubmissionSaysSoOnceAndGoesOnWhenThereIsRoom) {
    ScratchFile payload;
    std::ofstream(payload.path()) << std::string(1'000'000, 'x');  // more than the WAL has room for
    Process server(ff_inside({"server", "--json", "--listen", "127.0.0.1:0"}));
    server.await_line("url");
    fill();

    Process submit(ff_inside({"submit", "--kind", "large", "--payload", "@" + payload.path()}));
    submit.await_line("the store is out of space");
    expect_doctor_to_name_it();
    make_room();
    EXPECT_EQ(submit.wait(), 0) << submit.errors();
    const std::string& errors = submit.errors();
    EXPECT_EQ(errors.find("out of space"), errors.rfind("out of space")) << errors;

    Process list(ff_inside({"list"}));
    EXPECT_EQ(list.wait(), 0);
    EXPECT_THAT(list.output(), HasSubstr("large"));
}

TEST_F(FullDisk, IsNamedByWhateverCannotEvenOpenTheFile) {
    run(ff_inside({"migrate"}));
    fill();
    Process submit(ff_inside({"submit", "--kind", "any", "--json"}));
    EXPECT_EQ(submit.wait(), 1);
    EXPECT_THAT(submit.errors(), AllOf(HasSubstr("resource_exhausted"), HasSubstr("no room for its -shm file")));
    expect_doctor_to_name_it();
    make_room();
    run(ff_inside({"submit", "--kind", "any"}));
}

}  // namespace
}  // namespace flowfabric::test
