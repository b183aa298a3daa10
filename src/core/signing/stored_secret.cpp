#include "core/signing/stored_secret.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "core/base/octets.hpp"

namespace flowfabric {
namespace {

constexpr char plain_form = '\x00';
constexpr char sealed_form = '\x01';
constexpr std::size_t tag_bytes = 16;
constexpr std::size_t sealed_overhead = 1 + std::tuple_size_v<SealNonce> + tag_bytes;

struct FreeCipher {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

void expect(int status) {
    if (status != 1) throw std::runtime_error("AES-256-GCM failed");
}

// Ready for the text itself: key, nonce and associated data are in.
Cipher cipher_for(bool encrypt, const MasterKey& master, const unsigned char* nonce, std::string_view kid) {
    Cipher cipher(EVP_CIPHER_CTX_new());
    if (!cipher) throw std::bad_alloc();
    expect(EVP_CipherInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, master.data(), nonce, encrypt ? 1 : 0));
    int length = 0;
    expect(EVP_CipherUpdate(cipher.get(), nullptr, &length, octets_of(kid), static_cast<int>(kid.size())));
    return cipher;
}

Bytes run(EVP_CIPHER_CTX* cipher, std::string_view input) {
    Bytes output(input.size(), '\0');
    int length = 0;
    expect(EVP_CipherUpdate(cipher, octets_of(output), &length, octets_of(input), static_cast<int>(input.size())));
    return output;
}

// GCM is a stream mode: the end adds no byte, it makes or checks the tag.
bool finish(EVP_CIPHER_CTX* cipher) {
    unsigned char nothing = 0;
    int length = 0;
    return EVP_CipherFinal_ex(cipher, &nothing, &length) == 1;
}

EngineError unreadable(std::string_view kid, std::string_view why) {
    return corruption(std::string("secret of kid ").append(kid).append(": ").append(why));
}

}  // namespace

SealNonce nonce_of(const Uuid& fresh) {
    SealNonce nonce{};
    std::ranges::copy_n(fresh.bytes.rbegin(), nonce.size(), nonce.begin());
    return nonce;
}

EngineError missing_master_key(std::string_view why) {
    return {.kind = ErrorKind::unavailable,
            .detail = std::string(why).append(
                ", and no master key: set FF_MASTER_KEY or FF_MASTER_KEY_FILE (EngineOptions::master_key_hex)")};
}

Bytes stored_plain(const SigningKey& key) {
    return plain_form + key.secret;
}

Bytes stored_sealed(const SigningKey& key, const MasterKey& master, const SealNonce& nonce) {
    const Cipher cipher = cipher_for(true, master, nonce.data(), key.kid);
    const Bytes ciphertext = run(cipher.get(), key.secret);
    expect(finish(cipher.get()) ? 1 : 0);
    Bytes tag(tag_bytes, '\0');
    expect(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(tag.size()), tag.data()));
    return sealed_form + Bytes(nonce.begin(), nonce.end()) + ciphertext + tag;
}

bool is_sealed(std::string_view stored) {
    return stored.starts_with(sealed_form);
}

Result<SigningKey> open_stored(std::string_view kid, std::string_view stored, const MasterKey* master) {
    if (stored.starts_with(plain_form)) return SigningKey{std::string(kid), Bytes(stored.substr(1))};
    if (!is_sealed(stored) || stored.size() < sealed_overhead) return unreadable(kid, "not a stored secret");
    if (master == nullptr) return missing_master_key(std::string("secret of kid ").append(kid).append(": sealed"));
    Bytes tag(stored.substr(stored.size() - tag_bytes));
    const std::string_view ciphertext = stored.substr(sealed_overhead - tag_bytes, stored.size() - sealed_overhead);
    const Cipher cipher = cipher_for(false, *master, octets_of(stored.substr(1)), kid);
    Bytes secret = run(cipher.get(), ciphertext);
    expect(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, static_cast<int>(tag.size()), tag.data()));
    if (!finish(cipher.get())) return unreadable(kid, "does not open under the master key");
    return SigningKey{std::string(kid), std::move(secret)};
}

}  // namespace flowfabric
