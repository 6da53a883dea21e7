import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'

interface Suite {
  readonly passed: number
  readonly failed: number
  readonly seconds: number
}

interface Outcome {
  readonly status: number | null
  readonly suites: ReadonlyMap<string, Suite>
}

const { findOtherRelease } = jest.requireActual<{
  findOtherRelease(version: string, platform: string): { readonly version: string } | undefined
}>('../scripts/other-node.js')
const { findHindered, findLate, rerunArgs, runAfterChecks, splitRuns, summarize } =
  jest.requireActual<{
    findLate(args: readonly string[], elapsedMs: number): string[]
    findHindered(outcome: Outcome, args: readonly string[]): string[]
    rerunArgs(args: readonly string[], paths: readonly string[]): string[]
    splitRuns(args: readonly string[]): string[][]
    runAfterChecks(
      args: readonly string[],
      stop: AbortController,
      checks: string,
    ): Promise<{ passed: number; failed: number }>
    summarize(run: {
      suites: ReadonlyMap<string, Suite>
      rerun: number
      leftOut?: readonly string[]
      passed: number
      failed: number
    }): string[]
  }>('../scripts/test')

const root = join(__dirname, '..')

/** A run in which so many of ten suites have failed. */
function runWith(failed: number, status: number | null = 1): Outcome {
  const names = Array.from({ length: 10 }, (_, i) => `suite-${i}`)
  const suites = new Map(
    names.map((name, i) => [name, { passed: 1, failed: i < failed ? 1 : 0, seconds: i }]),
  )
  return { status, suites }
}

describe('suites that have failed', () => {
  it('are run once more, alone, when they are few', () => {
    expect(findHindered(runWith(2), [])).toEqual(['suite-0', 'suite-1'])
    expect(findHindered(runWith(9), [])).toEqual([])
  })

  it('stay failed when nothing ran beside them, as in a soak, which looks for what fails seldom', () => {
    expect(findHindered(runWith(1), ['tests/faults', '--runInBand'])).toEqual([])
  })

  it('stay failed when jest was ended by something else', () => {
    for (const status of [null, 134]) expect(findHindered(runWith(1, status), [])).toEqual([])
  })
})

describe('the fault tests', () => {
  it('run after all other tests, in groups of four, each once', () => {
    const [others = [], ...groups] = splitRuns(['--silent=true'])
    expect(others).toEqual(['--silent=true', '--selectProjects', 'unit', 'service', 'system'])
    const options = ['--silent=true', '--selectProjects', 'fault', '--runTestsByPath']
    for (const group of groups) expect(group.slice(0, 4)).toEqual(options)
    const paths = groups.map((group) => group.slice(4))
    const suites = readdirSync(join(root, 'tests/faults')).filter((name) =>
      /\.test\.ts$/.test(name),
    )
    expect(paths.flat().sort()).toEqual(suites.map((name) => `tests/faults/${name}`).sort())
    expect(paths.slice(0, -1).every(({ length }) => length === 4)).toBe(true)
  })

  it('are left out once 65 minutes have passed, and no other tests are', () => {
    const [others = [], ...groups] = splitRuns([])
    expect(groups.flatMap((group) => findLate(group, 64 * 60_000))).toEqual([])
    expect(groups.map((group) => findLate(group, 66 * 60_000))).toEqual(
      groups.map((group) => group.slice(3)),
    )
    expect(findLate(others, 66 * 60_000)).toEqual([])
  })

  it('that have failed run again without a number of workers, which jest refuses beside --runInBand', () => {
    const args = ['--silent=true', '--maxWorkers=1', '--selectProjects', 'fault']
    const again = rerunArgs(args, ['/tests/faults/kill.test.ts'])
    expect(again).toEqual([
      '--silent=true',
      '--runInBand',
      '--runTestsByPath',
      '/tests/faults/kill.test.ts',
    ])
    const jest = join(root, 'node_modules/jest/bin/jest.js')
    const listed = spawnSync(process.execPath, [jest, '--listTests', ...again], { cwd: root })
    expect(listed.status).toBe(0)
  })

  it('run with others when tests are selected', () => {
    for (const args of [
      ['tests/faults', '--runInBand'],
      ['--selectProjects', 'system'],
      ['--config=x'],
    ])
      expect(splitRuns(args)).toEqual([args])
  })
})

describe('the last lines of a run', () => {
  it('are the twenty slowest suites, the number of reruns, and the counts', () => {
    const suites = new Map(
      Array.from({ length: 30 }, (_, i) => [
        join(root, `suite-${i}`),
        { passed: 1, failed: 0, seconds: i / 4 },
      ]),
    )
    const lines = summarize({ suites, rerun: 2, passed: 30, failed: 0 })
    expect(lines).toHaveLength(23)
    expect(lines.slice(0, 3)).toEqual([
      'slowest suites:',
      '    7.3 s  suite-29',
      '    7.0 s  suite-28',
    ])
    expect(lines.slice(-2)).toEqual(['suites rerun: 2', '30 passed, 0 failed'])
  })

  it('name the suites that were not run for lack of time', () => {
    const leftOut = ['tests/faults/kill.test.ts']
    expect(summarize({ suites: new Map(), rerun: 0, leftOut, passed: 3, failed: 0 })).toEqual([
      'slowest suites:',
      'suites rerun: 0',
      'not run, because this machine is too slow: tests/faults/kill.test.ts',
      '3 passed, 0 failed',
    ])
  })
})

/** Writes a suite of one test. */
const writeSuite = (folder: string, name: string, body: string) =>
  writeFile(join(folder, `${name}.test.js`), `it('is probed', async () => { ${body} })`)

const configOf = (rootDir: string) =>
  `--config=${JSON.stringify({ rootDir, cacheDirectory: rootDir, watchman: false })}`

describe('a run of which a suite fails once', () => {
  it('names the suite, counts it, and passes', async () => {
    await using folder = await tempDir()
    const probe = (name: string, body: string) => writeSuite(folder.path, name, body)
    await probe('steady', '')
    // Fails on its first run, which leaves a folder behind.
    await probe(
      'shaky',
      "expect(require('node:fs').mkdirSync(__dirname + '/seen', { recursive: true })).toBe()",
    )
    const args = [join(root, 'scripts/test.js'), configOf(folder.path)]
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(status).toBe(0)
    expect(stderr).toMatch(/^unstable: .*shaky\.test\.js passed only when it ran alone$/m)
    expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
      'suites rerun: 1',
      '2 passed, 0 failed',
    ])
    expect(stdout).toMatch(/^slowest suites:\n +\d+\.\d s {2}.*\.test\.js$/m)
  })
})

describe('a run with checks', () => {
  afterEach(() => jest.restoreAllMocks())

  it.each([
    ['shows the output of a failed check, fails, and runs no tests', 1, { passed: 0, failed: 1 }],
    ['runs the tests when the checks have passed', 0, { passed: 1, failed: 0 }],
  ])('%s', async (_, exitCode, counts) => {
    await using folder = await tempDir()
    await writeSuite(folder.path, 'one', '')
    const checks = join(folder.path, 'checks.js')
    await writeFile(checks, `console.log('lint'); process.exitCode = ${exitCode}`)
    let printed = ''
    jest
      .spyOn(process.stderr, 'write')
      .mockImplementation((text) => Boolean((printed += String(text))))
    const args = [configOf(folder.path)]
    expect(await runAfterChecks(args, new AbortController(), checks)).toMatchObject(counts)
    expect(printed).toContain('lint')
  })
})

describe('the other Node', () => {
  it('is that of the images, or the oldest supported line where that runs', () => {
    const other = (version: string) => findOtherRelease(version, 'linux-x64')?.version
    expect(other('20.19.0')).toMatch(/^22\./)
    expect(other('22.1.0')).toMatch(/^20\./)
    const image = /^ARG NODE=([\d.]+)/m.exec(readFileSync('deploy/Dockerfile', 'utf8'))?.[1]
    expect(other('20.19.0')).toBe(image)
  })

  it('is omitted on platforms without a pinned build', () => {
    expect(findOtherRelease('20.19.0', 'darwin-arm64')).toBeUndefined()
  })
})
