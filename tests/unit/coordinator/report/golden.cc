#include "tests/unit/coordinator/report/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tutti::report {

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = std::string(TUTTI_SOURCE_DIR) + "/tests/unit/coordinator/report/golden/" + name;
  if (std::getenv("TUTTI_WRITE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  std::stringstream golden;
  golden << file.rdbuf();
  ASSERT_TRUE(file.good()) << path;
  EXPECT_EQ(text, golden.str());
}

}  // namespace tutti::report
