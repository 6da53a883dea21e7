// Runs all tests and prints as its last line `N passed, M failed`, counted over all suites. A suite that does not run
// counts as one failed test, and so does a run that ends badly otherwise. When a few suites fail, these are run once
// more, one by one: what passes then was hindered by what ran beside it, is named as unstable, and is to be mended, but
// does not stop others. Arguments go to jest.
'use strict'

const { spawnSync } = require('node:child_process')
const { mkdirSync, readFileSync, rmSync } = require('node:fs')
const { join, relative } = require('node:path')

const root = join(__dirname, '..')
const results = join(root, 'test-results')
/** More failed suites than this are no accident of a busy machine. */
const MOST_RERUN = 3

/** Runs jest; how it ended and what it reported of each suite, by path. */
function run(name, args) {
  const report = join(results, `${name}.json`)
  rmSync(report, { force: true })
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/jest/bin/jest.js'), '--json', '--outputFile', report, ...args],
    // With --json jest prints the report to stdout as well; what a person wants to see is on stderr.
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  return { status, suites: readSuites(report) }
}

/** Passed and failed tests of each suite; none when jest did not come that far. */
function readSuites(report) {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
    return new Map(testResults.map((suite) => [suite.name, countSuite(suite)]))
  } catch {
    return new Map()
  }
}

function countSuite({ status, assertionResults }) {
  const having = (wanted) => assertionResults.filter((test) => test.status === wanted).length
  const failed = having('failed')
  return { passed: having('passed'), failed: status === 'failed' ? Math.max(failed, 1) : failed }
}

const failedOf = (suites) =>
  [...suites].filter(([, { failed }]) => failed > 0).map(([path]) => path)

/** Runs the suites that failed once more, alone; what came of them replaces what they had come to. */
function runAgain(suites, paths) {
  const again = run('jest-again', ['--runInBand', '--runTestsByPath', ...paths])
  for (const path of paths) {
    const outcome = again.suites.get(path)
    if (!outcome) continue
    suites.set(path, outcome)
    if (outcome.failed === 0)
      console.error(`unstable: ${relative(root, path)} passed only when it ran alone`)
  }
  return again.status
}

mkdirSync(results, { recursive: true })
let { status, suites } = run('jest', process.argv.slice(2))
const paths = failedOf(suites)
if (paths.length > 0 && paths.length <= MOST_RERUN) status = runAgain(suites, paths)

const sum = (kind) => [...suites.values()].reduce((total, suite) => total + suite[kind], 0)
const passed = sum('passed')
// A run that proves nothing has failed.
const failed = status === 0 && passed > 0 ? sum('failed') : Math.max(sum('failed'), 1)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
