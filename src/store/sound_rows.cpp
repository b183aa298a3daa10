#include "store/sound_rows.hpp"

namespace flowfabric {

std::string report_asked(DamageLog& damage, const Damage& row) {
    damage.report(row);
    std::string text = row.table;
    return text.append(" ").append(row.key).append(": ").append(row.detail);
}

Finding judge_rows(std::size_t rows, const std::vector<Damage>& damaged) {
    constexpr std::size_t most = 8;
    if (damaged.empty()) return {Finding::Level::fine, "rows", std::to_string(rows) + " rows can be read", ""};
    std::string detail = std::to_string(damaged.size()) + " of " + std::to_string(rows) + " rows cannot be read: ";
    for (std::size_t i = 0; i < damaged.size() && i < most; ++i) {
        detail += (i == 0 ? "" : "; ") + damaged[i].table + " " + damaged[i].key + ": " + damaged[i].detail;
    }
    if (damaged.size() > most) detail += "; and more";
    return {Finding::Level::danger, "rows", std::move(detail),
            "restore these rows from a backup, or repair them by hand"};
}

}  // namespace flowfabric
