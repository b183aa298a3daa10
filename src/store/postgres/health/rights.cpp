#include "store/postgres/health/rights.hpp"

#include <optional>

namespace flowfabric::postgres {
namespace {

struct Denied {
    std::string_view kind;
    std::string_view name;
};

// "permission denied for table ff_exec_core"; in another language there is only the role to name.
std::optional<Denied> denied_of(std::string_view message) {
    constexpr std::string_view intro = "permission denied for ";
    if (!message.starts_with(intro)) return std::nullopt;
    message.remove_prefix(intro.size());
    const auto space = message.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    return Denied{message.substr(0, space), message.substr(space + 1)};
}

// Of the statement as a whole: what it lacks on one table it may need on another.
std::string table_rights(std::string_view sql) {
    const auto has = [&](std::string_view word) { return sql.find(word) != std::string_view::npos; };
    std::string rights = "SELECT";
    if (has("INSERT INTO ")) rights += ", INSERT";
    if (has("UPDATE ")) rights += ", UPDATE";
    if (has("DELETE FROM ")) rights += ", DELETE";
    return rights;
}

std::string grant_of(const Denied& denied, std::string_view sql) {
    const std::string name(denied.name);
    if (denied.kind == "table" || denied.kind == "relation") return "GRANT " + table_rights(sql) + " ON TABLE " + name;
    if (denied.kind == "sequence") return "GRANT USAGE, SELECT ON SEQUENCE " + name;
    if (denied.kind == "function") return "GRANT EXECUTE ON FUNCTION " + name;
    if (denied.kind == "schema") return "GRANT USAGE ON SCHEMA " + name;
    return {};
}

std::string quoted(std::string_view role) {
    std::string text = "\"";
    for (const char c : role) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + '"';
}

}  // namespace

std::string missing_grants(std::string_view message, std::string_view sql, std::string_view role) {
    const bool migrates = sql.empty() || sql.starts_with("CREATE ");
    if (migrates) return "; run `ff migrate` as the schema's owner";
    const auto denied = denied_of(message);
    const std::string grant = denied ? grant_of(*denied, sql) : std::string();
    const std::string grantee = quoted(role);
    const std::string all = table_rights(sql) == "SELECT" ? "ff_reader or ff_worker" : "ff_worker";
    const std::string by_role = "`ff migrate --roles` and GRANT " + all + " TO " + grantee;
    return grant.empty() ? "; as the owner run " + by_role
                         : "; as the owner run " + grant + " TO " + grantee + ", or for all that it needs " + by_role;
}

}  // namespace flowfabric::postgres
