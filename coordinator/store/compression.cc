#include "coordinator/store/compression.h"

#include <zstd.h>

#include <cstdint>
#include <memory>

#include "absl/strings/str_cat.h"

namespace tutti::store {
namespace {

// The library's own default. Higher levels gain a few percent on varints that are close to random.
constexpr int kLevel = 3;
// No result has more; a damaged header must not make us ask for all memory.
constexpr unsigned long long kMaxPlainBytes = 1ULL << 30;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

}  // namespace

absl::StatusOr<std::string> Compress(std::string_view plain) {
  if (plain.size() > kMaxPlainBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("compress ", plain.size(), " bytes: at most ",
                                                     kMaxPlainBytes, " are stored as one piece"));
  }
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (context == nullptr) return absl::ResourceExhaustedError("make a zstd context: out of memory");
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string compressed(ZSTD_compressBound(plain.size()), '\0');
  const size_t size =
      ZSTD_compress2(context.get(), compressed.data(), compressed.size(), plain.data(), plain.size());
  if (ZSTD_isError(size) != 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("compress ", plain.size(), " bytes with zstd: ", ZSTD_getErrorName(size)));
  }
  compressed.resize(size);
  return compressed;
}

absl::StatusOr<std::string> Decompress(std::string_view compressed) {
  const unsigned long long size = ZSTD_getFrameContentSize(compressed.data(), compressed.size());
  // The two error values are the largest numbers there are.
  if (size > kMaxPlainBytes) return absl::DataLossError("stored bytes are no zstd frame with a size");
  std::string plain(static_cast<size_t>(size), '\0');
  const size_t got = ZSTD_decompress(plain.data(), plain.size(), compressed.data(), compressed.size());
  if (ZSTD_isError(got) != 0) {
    return absl::DataLossError(absl::StrCat("decompress stored bytes with zstd: ", ZSTD_getErrorName(got)));
  }
  if (got != plain.size()) return absl::DataLossError("stored bytes end before their frame does");
  return plain;
}

}  // namespace tutti::store
