// Runs all tests and prints which suites took longest, how many were run again, and as its last line
// `N passed, M failed`, counted over all suites. A suite that does not run counts as one failed test, and so does a run
// that ends badly otherwise. When a few suites fail, these are run once more, one by one: a suite that passes then was
// disturbed by the suites beside it; it is printed as unstable and must be fixed, but does not fail the run. Suites that
// ran one by one already (--runInBand) are not run again. Arguments go to jest; those of the form `--name=value` also to
// the second run.
'use strict'

const { spawnSync } = require('node:child_process')
const { mkdirSync, readFileSync, rmSync } = require('node:fs')
const { join, relative } = require('node:path')

const root = join(__dirname, '..')
const results = join(root, 'test-results')
/** More failed suites than this are no accident of a busy machine. */
const MOST_RERUN = 3
/** How many of the slowest suites are printed. */
const SHOWN = 20

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

/** Passed and failed tests of each suite, and the seconds that it took; none when jest did not come that far. */
function readSuites(report) {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
    return new Map(testResults.map((suite) => [suite.name, countSuite(suite)]))
  } catch {
    return new Map()
  }
}

function countSuite({ status, assertionResults, startTime, endTime }) {
  const having = (wanted) => assertionResults.filter((test) => test.status === wanted).length
  const failed = having('failed')
  return {
    passed: having('passed'),
    failed: status === 'failed' ? Math.max(failed, 1) : failed,
    seconds: (endTime - startTime) / 1000,
  }
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
function runAgain(suites, paths, args) {
  const options = args.filter((arg) => /^--\w+=/.test(arg))
  const again = run('jest-again', [...options, '--runInBand', '--runTestsByPath', ...paths])
  for (const path of paths) {
    const outcome = again.suites.get(path)
    if (!outcome) continue
    suites.set(path, { ...outcome, seconds: suites.get(path).seconds })
    if (outcome.failed === 0)
      console.error(`unstable: ${relative(root, path)} passed only when it ran alone`)
  }
  return again.status
}

/** The lines that end a run. */
function summarize({ suites, rerun, passed, failed }) {
  const slowest = [...suites].sort(([, a], [, b]) => b.seconds - a.seconds).slice(0, SHOWN)
  return [
    'slowest suites:',
    ...slowest.map(([path, { seconds }]) => {
      return `${seconds.toFixed(1).padStart(7)} s  ${relative(root, path)}`
    }),
    `suites rerun: ${rerun}`,
    `${passed} passed, ${failed} failed`,
  ]
}

/** Runs all tests with these arguments; what became of them. */
function runTests(args) {
  mkdirSync(results, { recursive: true })
  const first = run('jest', args)
  const { suites } = first
  const hindered = findHindered(first, args)
  const status = hindered.length > 0 ? runAgain(suites, hindered, args) : first.status
  const sum = (kind) => [...suites.values()].reduce((total, suite) => total + suite[kind], 0)
  const passed = sum('passed')
  // A run that proves nothing has failed.
  const failed = status === 0 && passed > 0 ? sum('failed') : Math.max(sum('failed'), 1)
  return { suites, rerun: hindered.length, passed, failed }
}

module.exports = { findHindered, summarize }

if (require.main === module) {
  const outcome = runTests(process.argv.slice(2))
  console.log(summarize(outcome).join('\n'))
  process.exitCode = outcome.failed > 0 ? 1 : 0
}
