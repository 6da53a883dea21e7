// Runs all tests and prints the slowest suites, the number of reruns and, as the last line, `N passed, M
// failed` over all suites. A suite that does not run counts as one failed test, as does a run that ends
// abnormally. The fault tests run after all others, a few at a time; those that a very slow machine does not reach
// in time are named at the end. When only a few suites of a run fail, they are
// rerun one by one: a suite that then passes was affected by concurrent suites; it is reported as unstable and
// must be fixed, but does not fail the run. Suites that already ran one by one (--runInBand) are not rerun. With
// `--check` as the first argument, the checks of `make check` run first; a failed check omits the tests. Further
// arguments are passed to jest; those of the form `--name=value` also to the rerun. After the tests of `--check`, the
// unit tests run once more on the other Node that is supported (other-node.js), unless the machine is slow.
'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { mkdirSync, readdirSync, readFileSync, rmSync } = require('node:fs')
const { join, relative } = require('node:path')
const { prepareOtherNode } = require('./other-node')

const root = join(__dirname, '..')
const results = join(root, 'test-results')
/** The folder of the fault tests. */
const FAULTS = 'tests/faults'
/** More failed suites than this are not attributed to a busy machine. */
const MOST_RERUN = 8
/** Milliseconds after which the other Node is not installed, so that all ends well within an hour and a half. */
const LATE_MS = 40 * 60_000
/** Milliseconds after which no further fault tests are started, for the same reason: a group takes some minutes. */
const END_MS = 65 * 60_000
/** Number of suites of fault tests in one run of jest. */
const GROUP = 4
/** Number of slowest suites printed. */
const SHOWN = 20

/** The Node of this process. */
const ownNode = { program: process.execPath, env: process.env }

/** Runs jest, until `signal` is aborted; returns its exit status and the report of each suite, by path. */
async function run(name, args, signal, node = ownNode) {
  const report = join(results, `${name}.json`)
  rmSync(report, { force: true })
  const jest = spawn(
    node.program,
    [join(root, 'node_modules/jest/bin/jest.js'), '--json', '--outputFile', report, ...args],
    // With --json jest also prints the report to stdout; output for people goes to stderr. Detached, that is, in
    // a process group with its workers, which would otherwise continue their suites when jest is stopped.
    { cwd: root, env: node.env, stdio: ['ignore', 'ignore', 'inherit'], detached: true },
  )
  const ended = once(jest, 'close')
  const stop = () => {
    if (jest.exitCode === null && jest.signalCode === null) process.kill(-jest.pid)
  }
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const [status] = await ended
  signal.removeEventListener('abort', stop)
  return { status, suites: readSuites(report) }
}

/** Runs the checks, until `signal` is aborted; returns whether they passed, and their output. */
async function runChecks(program, signal) {
  const checks = spawn(process.execPath, [program], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  signal.addEventListener('abort', () => checks.kill())
  let printed = ''
  checks.stdout.setEncoding('utf8').on('data', (text) => (printed += text))
  const [status] = await once(checks, 'close')
  return { passed: status === 0, printed }
}

/**
 * Returns passed and failed tests and the duration in seconds of each suite; none when jest ended before the
 * report.
 */
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

/**
 * Returns suites that may have failed because of concurrent suites: at most a few, in a run that otherwise
 * ended normally.
 */
function findHindered({ status, suites }, args) {
  const failed = failedOf(suites)
  const isAlone = args.includes('--runInBand') || args.includes('-i')
  return status === 1 && !isAlone && failed.length <= MOST_RERUN ? failed : []
}

/** The arguments of a rerun of suites, after a run with these. Jest refuses a number of workers beside --runInBand. */
function rerunArgs(args, paths) {
  const options = args.filter((arg) => /^--(?!maxWorkers=)\w+=/.test(arg))
  return [...options, '--runInBand', '--runTestsByPath', ...paths]
}

/** Reruns the failed suites one by one and replaces their results. */
async function runAgain(suites, paths, args, signal) {
  const again = await run('jest-again', rerunArgs(args, paths), signal)
  for (const path of paths) {
    const outcome = again.suites.get(path)
    if (!outcome) continue
    suites.set(path, { ...outcome, seconds: suites.get(path).seconds })
    if (outcome.failed === 0)
      console.error(`unstable: ${relative(root, path)} passed only when it ran alone`)
  }
  return again.status
}

/** Returns the lines that end a run. */
function summarize({ suites, rerun, leftOut = [], passed, failed }) {
  const slowest = [...suites].sort(([, a], [, b]) => b.seconds - a.seconds).slice(0, SHOWN)
  return [
    'slowest suites:',
    ...slowest.map(([path, { seconds }]) => {
      return `${seconds.toFixed(1).padStart(7)} s  ${relative(root, path)}`
    }),
    `suites rerun: ${rerun}`,
    ...leftOut.map((path) => `not run, because this machine is too slow: ${path}`),
    `${passed} passed, ${failed} failed`,
  ]
}

/**
 * The arguments of each run of jest. Without a selection of tests the fault tests have runs of their own, since each starts
 * several instances of every service, and waits for what must happen within seconds.
 */
function splitRuns(args) {
  const isSelection = (arg) =>
    !arg.startsWith('--') || /^--(config|selectProjects|runTestsByPath|$)/.test(arg)
  if (args.some(isSelection)) return [args]
  return [
    [...args, '--selectProjects', 'unit', 'service', 'system'],
    ...groupFaults().map((paths) => [
      ...args,
      '--selectProjects',
      'fault',
      '--runTestsByPath',
      ...paths,
    ]),
  ]
}

/** The paths of the suites of fault tests, in groups. */
function groupFaults() {
  const suites = readdirSync(join(root, FAULTS)).filter((name) => name.endsWith('.test.ts'))
  const paths = suites.map((name) => `${FAULTS}/${name}`)
  return Array.from({ length: Math.ceil(paths.length / GROUP) }, (_, index) =>
    paths.slice(index * GROUP, (index + 1) * GROUP),
  )
}

/** The suites of a group of fault tests that is not started after so many milliseconds; none of any other run. */
function findLate(args, elapsedMs) {
  return elapsedMs > END_MS ? args.filter((arg) => arg.startsWith(`${FAULTS}/`)) : []
}

/** Runs all tests with these arguments; returns the results. */
async function runTests(args, signal) {
  mkdirSync(results, { recursive: true })
  const total = { suites: new Map(), rerun: 0, leftOut: [], passed: 0, failed: 0 }
  for (const [index, own] of splitRuns(args).entries()) {
    if (signal.aborted) break
    const late = findLate(own, performance.now())
    total.leftOut.push(...late)
    if (late.length > 0) continue
    const { suites, rerun, passed, failed } = await runOne(`jest-${index + 1}`, own, signal)
    for (const [path, suite] of suites) total.suites.set(path, suite)
    total.rerun += rerun
    total.passed += passed
    total.failed += failed
  }
  return total
}

async function runOne(name, args, signal) {
  const first = await run(name, args, signal)
  const { suites } = first
  const hindered = findHindered(first, args)
  const status = hindered.length > 0 ? await runAgain(suites, hindered, args, signal) : first.status
  const sum = (kind) => [...suites.values()].reduce((total, suite) => total + suite[kind], 0)
  const passed = sum('passed')
  // A run without passed tests counts as failed.
  const failed = status === 0 && passed > 0 ? sum('failed') : Math.max(sum('failed'), 1)
  return { suites, rerun: hindered.length, passed, failed }
}

module.exports = { findHindered, findLate, rerunArgs, runAfterChecks, splitRuns, summarize }

/** Adds the unit tests on another Node to the results of all tests. */
async function addUnitTests(outcome, node, signal) {
  if (signal.aborted) return outcome
  const { status, suites } = await run('jest-other', ['--selectProjects', 'unit'], signal, node)
  const sum = (kind) => [...suites.values()].reduce((total, suite) => total + suite[kind], 0)
  for (const path of failedOf(suites))
    console.error(`failed on Node ${node.version}: ${relative(root, path)}`)
  const failed = status === 0 ? sum('failed') : Math.max(sum('failed'), 1)
  return { ...outcome, passed: outcome.passed + sum('passed'), failed: outcome.failed + failed }
}

/** Runs the checks, and then all tests. A failed check counts as a failed test, and omits the tests. */
async function runAfterChecks(args, stop, checks = join(__dirname, 'check.js')) {
  const { passed, printed } = await runChecks(checks, stop.signal)
  process.stderr.write(printed)
  if (passed) return runTests(args, stop.signal)
  return { suites: new Map(), rerun: 0, passed: 0, failed: 1 }
}

/** As `runAfterChecks`, and then the unit tests on the other Node where there is one. */
async function runOnBoth(args, stop) {
  const outcome = await runAfterChecks(args, stop)
  if (outcome.passed === 0 || stop.signal.aborted) return outcome
  if (performance.now() > LATE_MS) {
    console.error('the unit tests were not run on another Node: this machine is too slow')
    return outcome
  }
  const other = await prepareOtherNode()
  return other ? addUnitTests(outcome, other, stop.signal) : outcome
}

async function main(args) {
  const stop = new AbortController()
  // ^C does not reach jest, which is in a process group of its own.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => stop.abort())
  const outcome =
    args[0] === '--check' ? await runOnBoth(args.slice(1), stop) : await runTests(args, stop.signal)
  console.log(summarize(outcome).join('\n'))
  process.exitCode = outcome.failed > 0 ? 1 : 0
}

if (require.main === module) void main(process.argv.slice(2))
