// Runs all tests and prints as its last line `N passed, M failed`, counted over all suites. A suite that does not run
// counts as one failed test, and so does a run that ends badly otherwise. When a few suites fail, these are run once
// more, one by one: what passes then was hindered by what ran beside it, is named as unstable, and is to be mended, but
// does not stop others. Suites that ran one by one already (--runInBand) are not run again. Arguments go to jest.
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

/** The suites that may have been hindered: few, of a run that ended as jest ends when tests fail, with others beside them. */
function findHindered({ status, suites }, args) {
  const failed = failedOf(suites)
  const isAlone = args.includes('--runInBand') || args.includes('-i')
  return status === 1 && !isAlone && failed.length <= MOST_RERUN ? failed : []
}

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

/** Runs all tests with these arguments; how many passed and failed. */
function runTests(args) {
  mkdirSync(results, { recursive: true })
  const first = run('jest', args)
  const { suites } = first
  const hindered = findHindered(first, args)
  const status = hindered.length > 0 ? runAgain(suites, hindered) : first.status
  const sum = (kind) => [...suites.values()].reduce((total, suite) => total + suite[kind], 0)
  const passed = sum('passed')
  // A run that proves nothing has failed.
  const failed = status === 0 && passed > 0 ? sum('failed') : Math.max(sum('failed'), 1)
  return { passed, failed }
}

module.exports = { findHindered }

if (require.main === module) {
  const { passed, failed } = runTests(process.argv.slice(2))
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}
