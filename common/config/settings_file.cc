#include "common/config/settings_file.h"

#include <yaml-cpp/yaml.h>

#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/config/setting.h"
#include "common/status/printable.h"
#include "common/suggestion/suggestion.h"

namespace tutti {
namespace {

// The owner of a configuration file is trusted, unlike that of a plan: yaml-cpp's own limit of nesting
// (depthguard.h) is enough, and its tree of nodes knows each one's line and column.
class Reader {
 public:
  Reader(const ConfigFile& file, std::vector<std::string>& errors)
      : path_(Printable(file.path)), errors_(errors) {}

  std::vector<FileSetting> Read(const std::string& text) {
    std::vector<YAML::Node> documents;
    try {
      documents = YAML::LoadAll(text);
    } catch (const YAML::Exception& error) {
      Add(error.mark, "", absl::StrCat("not valid YAML: ", error.msg));
      return {};
    }
    if (documents.size() > 1) Add(documents[1].Mark(), "", "a second document: a configuration file has one");
    if (documents.empty() || documents[0].IsNull()) return {};
    if (!documents[0].IsMap()) {
      Add(documents[0].Mark(), "", "not a map of settings: write KEY: VALUE, as in coordinator: 10.0.0.1");
      return {};
    }
    for (const auto& entry : documents[0]) TakeEntry(entry.first, entry.second);
    return std::move(settings_);
  }

 private:
  std::string At(const YAML::Mark& mark) const {
    return mark.is_null() ? path_ : absl::StrCat(path_, ":", mark.line + 1, ":", mark.column + 1);
  }

  void Add(const YAML::Mark& mark, const std::string& key, const std::string& message) {
    errors_.push_back(
        absl::StrCat(At(mark), ": ", Printable(key), key.empty() ? "" : ": ", Printable(message)));
  }

  void TakeEntry(const YAML::Node& key_node, const YAML::Node& value) {
    if (!key_node.IsScalar()) return Add(key_node.Mark(), "", "a key that is no word");
    const std::string& key = key_node.Scalar();
    const auto [first, added] = lines_.insert({key, key_node.Mark().line + 1});
    if (!added) {
      return Add(key_node.Mark(), key,
                 absl::StrCat("the key occurs twice, first in line ", first->second, ": remove one"));
    }
    const Setting* setting = FindSetting(key);
    if (setting == nullptr) {
      return Add(key_node.Mark(), key,
                 absl::StrCat("there is no such setting", DidYouMean(key, SettingKeys())));
    }
    if (value.IsNull()) return Add(key_node.Mark(), key, "has no value: write one, or remove the key");
    std::optional<std::vector<std::string>> texts = TextsOf(*setting, value);
    if (texts) settings_.push_back({key, *std::move(texts), At(value.Mark())});
  }

  std::optional<std::vector<std::string>> TextsOf(const Setting& setting, const YAML::Node& value) {
    if (!IsList(setting) || !value.IsSequence()) {
      std::optional<std::string> text = TextOf(setting, value);
      if (!text) return std::nullopt;
      return std::vector<std::string>{*std::move(text)};
    }
    std::vector<std::string> texts;
    bool good = true;
    for (const YAML::Node& item : value) {
      std::optional<std::string> text = TextOf(setting, item);
      good = good && text.has_value();
      if (text) texts.push_back(*std::move(text));
    }
    if (value.size() == 0) {
      Add(value.Mark(), setting.key, "an empty list: write its parts, or remove the key");
      good = false;
    }
    if (!good) return std::nullopt;
    return texts;
  }

  std::optional<std::string> TextOf(const Setting& setting, const YAML::Node& value) {
    const std::string& tag = value.Tag();
    if (!tag.empty() && tag != "?" && tag != "!") {
      Add(value.Mark(), setting.key, absl::StrCat("has the tag ", tag, ": remove it"));
      return std::nullopt;
    }
    if (!value.IsScalar()) {
      const std::string is = value.IsMap() ? "is a map" : value.IsNull() ? "has an empty part" : "is a list";
      Add(value.Mark(), setting.key,
          absl::StrCat(is, IsList(setting) ? ": write texts, as in [a, b]" : ": write one value"));
      return std::nullopt;
    }
    const std::string wrong = CheckSetting(setting, value.Scalar());
    if (!wrong.empty()) {
      Add(value.Mark(), setting.key, wrong);
      return std::nullopt;
    }
    return value.Scalar();
  }

  const std::string path_;
  std::vector<std::string>& errors_;
  std::vector<FileSetting> settings_;
  std::map<std::string, int> lines_;  // where each key is
};

}  // namespace

std::vector<FileSetting> ReadSettings(const ConfigFile& file, std::vector<std::string>& errors) {
  return Reader(file, errors).Read(file.text);
}

}  // namespace tutti
