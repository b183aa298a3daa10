#include "cli/place.hpp"

#include "cli/secret_variable.hpp"
#include "remote/remote_client.hpp"

namespace flowfabric::cli {
namespace {

class EngineSession final : public Session {
  public:
    explicit EngineSession(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
    Client& client() override { return *engine_; }
    void end_within(std::chrono::milliseconds grace) override { engine_->end_within(grace); }
    Result<std::unique_ptr<Subscription>> subscribe(Channel channel, const SubscribeOptions& options) override {
        return engine_->subscribe(channel, options);
    }

  private:
    const std::unique_ptr<Engine> engine_;
};

class ServerSession final : public Session {
  public:
    explicit ServerSession(std::unique_ptr<remote::RemoteClient> client) : client_(std::move(client)) {}
    Client& client() override { return *client_; }
    void end_within(std::chrono::milliseconds grace) override { client_->end_within(grace); }
    Result<std::unique_ptr<Subscription>> subscribe(Channel channel, const SubscribeOptions& options) override {
        return client_->subscribe(channel, options);
    }

  private:
    const std::unique_ptr<remote::RemoteClient> client_;
};

Result<std::unique_ptr<remote::RemoteClient>> open_server(const Place& place) {
    auto token = secret_of_environment("FF_TOKEN");
    if (!token) return token.error();
    remote::RemoteOptions options;
    options.url = place.server;
    if (*token) options.token = std::move((*token)->text);
    return remote::RemoteClient::open(std::move(options));
}

Result<std::unique_ptr<Engine>> open_store(const Place& place, Missing missing, Reconcilers reconcilers) {
    return missing == Missing::create ? open_engine(place.store, reconcilers) : open_existing(place.store, reconcilers);
}

}  // namespace

Place place_of(const CommonOptions& common) {
    Place place{.server = common.server, .store = common.store};
    if (place.server.empty() && place.store.store.empty()) place.server = environment("FF_SERVER");
    return place;
}

std::string Place::shown() const {
    if (!server.empty()) return server;
    const auto url = store_url(store, DataDirectory::leave);
    return store_for_display(url ? *url : store.store);
}

Result<std::unique_ptr<Client>> open_client(const CommonOptions& common, Missing missing) {
    const Place place = place_of(common);
    if (!place.server.empty()) {
        auto server = open_server(place);
        if (!server) return server.error();
        return std::unique_ptr<Client>(*std::move(server));
    }
    auto engine = open_store(place, missing, Reconcilers::off);
    if (!engine) return engine.error();
    return std::unique_ptr<Client>(*std::move(engine));
}

Result<std::unique_ptr<Session>> open_session(const CommonOptions& common, Missing missing, Reconcilers reconcilers) {
    const Place place = place_of(common);
    if (!place.server.empty()) {
        auto server = open_server(place);
        if (!server) return server.error();
        return std::unique_ptr<Session>(std::make_unique<ServerSession>(*std::move(server)));
    }
    auto engine = open_store(place, missing, reconcilers);
    if (!engine) return engine.error();
    return std::unique_ptr<Session>(std::make_unique<EngineSession>(*std::move(engine)));
}

}  // namespace flowfabric::cli
