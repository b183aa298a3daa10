#include "core/webhook/webhook_checks.hpp"

#include <boost/url/parse.hpp>

#include "core/base/names.hpp"
#include "core/command/admission.hpp"

namespace flowfabric {

Result<void> check_webhook_url(std::string_view url) {
    const auto refuse = [](std::string_view reason) { return invalid_input("url", reason); };
    if (auto checked = check_line("url", url, max_url_bytes); !checked) return checked;
    const auto parsed = boost::urls::parse_uri(url);
    if (!parsed || (parsed->scheme() != "http" && parsed->scheme() != "https")) {
        return refuse("must begin with http:// or https://");
    }
    if (!parsed->has_authority() || parsed->encoded_host().empty()) return refuse("names no host");
    if (parsed->has_userinfo()) return refuse("holds no credentials; requests are signed");
    if (parsed->has_fragment()) return refuse("has no fragment");
    return {};
}

Result<void> check_webhook_types(const std::vector<std::string>& types) {
    if (auto checked = check_range("types", types.size(), 0, max_webhook_types); !checked) return checked;
    for (const std::string& type : types) {
        if (auto checked = check_line("types", type, max_label_bytes); !checked) return checked;
    }
    return {};
}

}  // namespace flowfabric
