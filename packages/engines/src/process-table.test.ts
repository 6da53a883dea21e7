import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { findProcesses, identifyProcess, isAlive, terminate } from './process-table'

const real = process.platform

// The ps variant works everywhere, so both variants are tested where both exist.
describe.each(real === 'linux' ? ['linux', 'darwin'] : [real])('on %s', (platform) => {
  const children: ChildProcess[] = []

  beforeAll(() => Object.defineProperty(process, 'platform', { value: platform }))
  afterAll(() => Object.defineProperty(process, 'platform', { value: real }))
  afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')))

  /** Starts a process that has printed, so that its command line is no longer the test's. */
  const run = async (script: string, argument: string) => {
    const child = spawn(process.execPath, ['-e', `${script}; console.log('up')`, '--', argument])
    children.push(child)
    await once(child.stdout, 'data')
    return child.pid!
  }

  it('finds a process by its program and one of its arguments', async () => {
    const pid = await run('setInterval(() => {}, 1000)', `/some folder/${platform}`)
    expect(findProcesses('node', `/some folder/${platform}`)).toEqual([identifyProcess(pid)])
    expect(findProcesses('node', `/some folder`)).toEqual([])
    expect(findProcesses('postgres', `/some folder/${platform}`)).toEqual([])
  })

  it('distinguishes a process from an earlier one with the same pid', () => {
    const identity = identifyProcess(process.pid)!
    expect(isAlive(identity)).toBe(true)
    expect(isAlive({ ...identity, startedAt: 'another time' })).toBe(false)
  })

  it('kills a process that ignores SIGTERM', async () => {
    const script = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`
    const identity = identifyProcess(await run(script, platform))!
    await terminate(identity, 'SIGTERM', 100)
    expect(isAlive(identity)).toBe(false)
  })
})
