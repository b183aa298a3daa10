#include "store/sqlite/location.hpp"

#include <sys/vfs.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "store/sqlite/database.hpp"

namespace flowfabric::sqlite {
namespace {

struct FileSystem {
    std::uint32_t magic;
    const char* name;
};

// FUSE does not tell sshfs and its like from local file systems; all of it is refused.
constexpr auto network_file_systems = std::to_array<FileSystem>({
    {0x00006969, "NFS"},
    {0x0000517b, "SMB"},
    {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB2"},
    {0x65735546, "FUSE"},
    {0x01021997, "9P"},
    {0x00c36400, "Ceph"},
    {0x5346414f, "AFS"},
    {0x73757245, "Coda"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x7461636f, "OCFS2"},
    {0x01161970, "GFS2"},
});

}  // namespace

std::string canonical_path(const std::string& path) {
    std::error_code ignored;
    const auto absolute = std::filesystem::absolute(path, ignored);
    const auto canonical = std::filesystem::weakly_canonical(absolute, ignored);
    return ignored ? path : canonical.string();
}

void require_usable_location(const std::string& path) {
    if (path.empty()) throw_unavailable("no path is given for the SQLite database");
    const auto directory = std::filesystem::path(path).parent_path().string();
    std::error_code ignored;
    if (!std::filesystem::is_directory(directory, ignored)) {
        throw_unavailable("cannot open the database '" + path + "': the directory '" + directory +
                          "' does not exist; create it first");
    }
    struct statfs info{};
    if (::statfs(directory.c_str(), &info) != 0) {
        throw_unavailable("cannot examine the directory '" + directory +
                          "': " + std::generic_category().message(errno));
    }
    for (const auto& [magic, name] : network_file_systems) {
        if (static_cast<std::uint32_t>(info.f_type) != magic) continue;
        throw_unavailable("the database '" + path + "' lies on " + name +
                          ", where SQLite cannot share it safely; move it to a local disk or use PostgreSQL");
    }
}

}  // namespace flowfabric::sqlite
