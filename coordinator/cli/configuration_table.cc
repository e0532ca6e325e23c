#include "coordinator/cli/configuration_table.h"

#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "common/config/setting.h"
#include "coordinator/cli/aligned_columns.h"

namespace tutti::cli {
namespace {

using report::Document;

Document ValueDocument(const Setting& setting, const std::vector<std::string>& texts) {
  if (texts.empty()) return Document::Null();
  if (IsList(setting)) return Document::Texts(texts);
  if (setting.kind == SettingKind::kBool) return Document::Bool(texts.back() == "true");
  return Document::Text(texts.back());
}

Document ProgramsDocument(const Setting& setting) {
  Document list = Document::List();
  for (const Program program : setting.programs) list.Add(Document::Text(ProgramName(program)));
  return list;
}

}  // namespace

std::string RenderConfiguration(const Configuration& configuration, bool origin) {
  std::vector<std::vector<std::string>> rows = {{"KEY", "VALUE"}};
  if (origin) rows.front().push_back("ORIGIN");
  for (const Setting& setting : SettingTable()) {
    const SettingValue& value = configuration.values.at(setting.key);
    std::vector<std::string> row = {setting.key,
                                    value.texts.empty() ? "-" : absl::StrJoin(value.texts, ", ")};
    if (origin) row.push_back(value.origin);
    rows.push_back(std::move(row));
  }
  return AlignColumns(rows);
}

Document ConfigurationDocument(const Configuration& configuration) {
  Document settings = Document::List();
  for (const Setting& setting : SettingTable()) {
    const SettingValue& value = configuration.values.at(setting.key);
    Document each = Document::Map();
    each.Add("key", Document::Text(setting.key));
    each.Add("value", ValueDocument(setting, value.texts));
    each.Add("origin", Document::Text(value.origin));
    each.Add("variable", Document::Text(VariableOf(setting)));
    each.Add("flag", Document::Text(FlagOf(setting)));
    each.Add("programs", ProgramsDocument(setting));
    each.Add("help", Document::Text(setting.help));
    settings.Add(std::move(each));
  }
  Document document = Document::Map();
  document.Add("files", Document::Texts(configuration.files));
  document.Add("settings", std::move(settings));
  return document;
}

}  // namespace tutti::cli
