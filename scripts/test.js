// Runs all tests and prints as its last line `N passed, M failed`, summed over all suites. A suite that does not
// run counts as one failed test, and so does a run that ends badly otherwise. Arguments go to jest.
'use strict'

const { spawnSync } = require('node:child_process')
const { mkdirSync, readFileSync, rmSync } = require('node:fs')
const { join } = require('node:path')

const root = join(__dirname, '..')
const results = join(root, 'test-results')
const report = join(results, 'jest.json')

/** What jest reported; undefined when it did not come that far. */
function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return undefined
  }
}

/** Sums a run up; a run that proves nothing has failed. */
function count(outcome, status) {
  const passed = outcome?.numPassedTests ?? 0
  const failed = (outcome?.numFailedTests ?? 0) + (outcome?.numRuntimeErrorTestSuites ?? 0)
  const proved = status === 0 && passed > 0
  return { passed, failed: proved ? failed : Math.max(failed, 1) }
}

rmSync(report, { force: true })
mkdirSync(results, { recursive: true })
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/jest/bin/jest.js'),
    '--json',
    '--outputFile',
    report,
    ...process.argv.slice(2),
  ],
  // With --json jest prints the report to stdout as well; what a person wants to see is on stderr.
  { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
)
const { passed, failed } = count(readReport(), status)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
