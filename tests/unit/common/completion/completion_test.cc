#include "common/completion/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common/completion/completion_words.h"

namespace tutti {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A program with every kind of thing that is completed.
class CompletionTest : public ::testing::Test {
 protected:
  CompletionTest() {
    CLI::App* run = app_.add_subcommand("run", "Run a plan: it's [quick]");
    run->add_option("PLAN", plan_, "A plan")->type_name("FILE");
    run->add_option("--format,--output", format_, "How it is printed")->type_name("table|stream-test");
    run->add_option("--log-dir", text_, "Where logs go")->type_name("DIR");
    run->add_option("--lab", lab_, "Which lab")->type_name("LAB");
    run->add_option("--set", sets_, "Override")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    run->add_flag("--quiet,-q", quiet_, "Less");
    CLI::App* lab = app_.add_subcommand("lab", "Labs");
    lab->add_subcommand("down", "End one");
  }

  CLI::App app_{"a tool"};
  std::string plan_, format_, text_, lab_;
  std::vector<std::string> sets_;
  bool quiet_ = false;
};

TEST_F(CompletionTest, BashScript) {
  const std::string script = BashCompletion(app_, "tool");
  const size_t begin = script.find("    case \"$path $word\" in\n");
  const size_t end = script.find("  if [[ $kinds == *lab* ]]");
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(
      script.substr(begin, end - begin),
      "    case \"$path $word\" in\n"
      "      \"tool run\" | \"tool lab\" | \"tool lab down\") path=\"$path $word\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$path $previous\" in\n"
      "    \"tool run --format\" | \"tool run --output\") words=\"table stream-test\" ;;\n"
      "    \"tool run --log-dir\") kinds=\"folder\" ;;\n"
      "    \"tool run --lab\") kinds=\"lab\" ;;\n"
      "    \"tool run --set\") : ;;\n"
      "    *)\n"
      "      [[ $value == -* ]] && word=- || word=\n"
      "      case \"$path $word\" in\n"
      "        \"tool -\") words=\"--help -h\" ;;\n"
      "        \"tool \") words=\"run lab\" ;;\n"
      "        \"tool run -\") words=\"--help -h --format --output --log-dir --lab --set --quiet -q\" ;;\n"
      "        \"tool run \") kinds=\"file\" ;;\n"
      "        \"tool lab -\") words=\"--help -h\" ;;\n"
      "        \"tool lab \") words=\"down\" ;;\n"
      "        \"tool lab down -\") words=\"--help -h\" ;;\n"
      "        \"tool lab down \") : ;;\n"
      "      esac\n"
      "      ;;\n"
      "  esac\n");
  EXPECT_EQ(script.substr(script.rfind("}\n")), "}\ncomplete -F _tool tool\n");
}

TEST_F(CompletionTest, ZshScript) {
  const std::string script = ZshCompletion(app_, "tool");
  EXPECT_EQ(script.substr(0, 14), "#compdef tool\n");
  const size_t begin = script.find("\n_tool() {");
  const size_t end = script.find("\n_tool_lab() {");
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(script.substr(begin, end - begin),
            "\n_tool() {\n"
            "  local curcontext=$curcontext state line\n"
            "  typeset -A opt_args\n"
            "  local -a commands\n"
            "  commands=(\n"
            "    'run:Run a plan\\: it'\\''s [quick]'\n"
            "    'lab:Labs'\n"
            "  )\n"
            "  _arguments -C \\\n"
            "    '--help[Print this help message and exit]' \\\n"
            "    '-h[Print this help message and exit]' \\\n"
            "    '1: :->command' \\\n"
            "    '*:: :->argument'\n"
            "  case $state in\n"
            "    command) _describe command commands ;;\n"
            "    argument)\n"
            "      case $line[1] in\n"
            "        run) _tool_run ;;\n"
            "        lab) _tool_lab ;;\n"
            "      esac\n"
            "      ;;\n"
            "  esac\n"
            "}\n"
            "\n_tool_run() {\n"
            "  _arguments \\\n"
            "    '--help[Print this help message and exit]' \\\n"
            "    '-h[Print this help message and exit]' \\\n"
            "    '--format=[How it is printed]:table|stream-test:(table stream-test)' \\\n"
            "    '--output=[How it is printed]:table|stream-test:(table stream-test)' \\\n"
            "    '--log-dir=[Where logs go]:DIR:_files -/' \\\n"
            "    '--lab=[Which lab]:LAB:_tool_labs' \\\n"
            "    '*--set=[Override]:KEY=VALUE: ' \\\n"
            "    '--quiet[Less]' \\\n"
            "    '-q[Less]' \\\n"
            "    '*:PLAN:_files'\n"
            "}\n");
}

TEST_F(CompletionTest, BehindTheFirstArgumentOfAPrefixCommandNoFlagOfOursIsOffered) {
  CLI::App* exec = app_.add_subcommand("exec", "Run a command elsewhere");
  exec->add_option("--name", lab_, "Where")->type_name("LAB");
  exec->add_option("HOST", text_, "Which");
  exec->prefix_command();
  const std::string bash = BashCompletion(app_, "tool");
  EXPECT_THAT(bash, HasSubstr("      \"tool exec \"[!-]*)\n"
                              "        case \"$path ${COMP_WORDS[i-1]}\" in\n"
                              "          \"tool exec =\" | \"tool exec --name\") ;;\n"
                              "          *) path=\"$path .\" ;;\n"));
  EXPECT_THAT(bash, HasSubstr("        \"tool exec .\"*) kinds=\"file\" ;;\n"));
  EXPECT_THAT(bash, HasSubstr("    \"tool exec --name\") kinds=\"lab\" ;;\n"));
  EXPECT_THAT(ZshCompletion(app_, "tool"), HasSubstr("    '(-)1:HOST: ' \\\n    '*::command:_normal'\n"));
}

TEST_F(CompletionTest, AWordMayHaveAColonWhichZshWantsQuoted) {
  CLI::Option* option = app_.add_option("--as", format_)->type_name("csv|csv:case");
  EXPECT_THAT(CompletionsOf(*option).words, ElementsAre("csv", "csv:case"));
  EXPECT_THAT(BashCompletion(app_, "tool"), HasSubstr("\"tool --as\") words=\"csv csv:case\" ;;\n"));
  EXPECT_THAT(ZshCompletion(app_, "tool"), HasSubstr(":csv|csv\\:case:(csv csv\\:case)'"));
}

TEST_F(CompletionTest, TheScriptOfAProgramWithoutLabsLooksForNone) {
  CLI::App daemon{"a daemon", "tool-daemon"};
  daemon.add_option("--log-file", text_)->type_name("FILE");
  EXPECT_THAT(ZshCompletion(daemon, "tool-daemon"), Not(HasSubstr("_labs")));
  EXPECT_THAT(BashCompletion(daemon, "tool-daemon"), HasSubstr("complete -F _tool_daemon tool-daemon\n"));
}

TEST_F(CompletionTest, TypesInCapitalsThatAreNotKnownHaveNoCompletion) {
  CLI::Option* option = app_.add_option("--what", text_)->type_name("FILE|ID");
  EXPECT_TRUE(CompletionsOf(*option).files);
  EXPECT_THAT(CompletionsOf(*option).words, IsEmpty());
  option->type_name("HOST:KEY=VALUE");
  EXPECT_FALSE(CompletionsOf(*option).files);
  EXPECT_THAT(CompletionsOf(*option).words, IsEmpty());
  option->type_name("bash|zsh");
  EXPECT_THAT(CompletionsOf(*option).words, ElementsAre("bash", "zsh"));
}

}  // namespace
}  // namespace tutti
