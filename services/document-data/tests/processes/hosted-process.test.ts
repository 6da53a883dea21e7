import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import {
  HostedProcess,
  type ProcessExit,
  type ProcessHandlers,
  type ProcessOptions,
} from '../../src/processes/hosted-process'
import { isAlive } from '../support/processes'
import { buildWorkers } from '../support/test-store'

type Options = Partial<ProcessOptions> & Pick<ProcessOptions, 'program' | 'args'>

/** A process with everything that it sent. */
class Recorded {
  readonly frames: Buffer[] = []
  readonly exits: ProcessExit[] = []
  readonly process: HostedProcess
  readonly exit: Promise<ProcessExit>

  constructor(options: Options, onFrame: ProcessHandlers['onFrame'] = () => {}) {
    const { promise, resolve } = newPromise<ProcessExit>()
    this.exit = promise
    this.process = new HostedProcess(
      { limits: {}, maxFrameBytes: 8 * 1024 * 1024, ...options },
      {
        onFrame: (frame) => {
          this.frames.push(frame)
          return onFrame(frame)
        },
        onExit: (exit) => {
          this.exits.push(exit)
          resolve(exit)
        },
      },
    )
  }

  get pid(): number {
    return this.process.pid ?? NaN
  }

  /** The first frames as text, when there are so many. */
  async text(count = 1): Promise<string[]> {
    await eventually(() => this.frames.length >= count)
    return this.frames.map(String)
  }
}

function newPromise<T>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve }
}

/** A program of the shell. `frame` writes its first argument, of less than 32 characters, as a frame. */
const sh = (script: string, options: Partial<ProcessOptions> = {}) => ({
  program: '/bin/sh',
  args: [
    '-c',
    `frame() { printf "\\\\000\\\\000\\\\000\\\\0$(printf %o \${#1})%s" "$1"; }\n${script}`,
  ],
  ...options,
})
/** A program of Node. */
const node = (script: string, options: Partial<ProcessOptions> = {}) => ({
  program: process.execPath,
  args: ['-e', script],
  ...options,
})
const echo = { program: '/bin/cat', args: [] }

describe('a hosted process', () => {
  it('need not be Node: frames go through cat and back, of any bytes and in order', async () => {
    const cat = new Recorded(echo)
    const sent = [Buffer.alloc(0), Buffer.from([0, 255, 10]), Buffer.alloc(3_000_000, 'abc')]
    for (const frame of sent) await cat.process.send(frame)
    await eventually(() => cat.frames.length === sent.length)
    for (const [index, frame] of sent.entries()) expect(frame.equals(cat.frames[index]!)).toBe(true)
    cat.process.kill()
    expect(await cat.exit).toMatchObject({ cause: 'killed', signal: 'SIGKILL', code: null })
  })

  it('has its frames delivered before its exit, which is reported once', async () => {
    const one = new Recorded(sh('frame first; frame last; echo a problem >&2; exit 3'))
    const exit = await one.exit
    expect(one.frames.map(String)).toEqual(['first', 'last'])
    expect(exit).toMatchObject({ cause: 'exited', code: 3, signal: null, stderr: 'a problem\n' })
    one.process.kill()
    await expect(one.process.send(Buffer.from('x'))).rejects.toThrow()
    expect(one.exits).toHaveLength(1)
  })

  it('has its frames delivered also when this process was busy for seconds after its exit', async () => {
    const handled: number[] = []
    const frame = String.raw`printf '\000\000\200\000'; head -c 32768 /dev/zero; `
    const busy = new Int32Array(new SharedArrayBuffer(4))
    const one: Recorded = new Recorded(sh(frame.repeat(5)), async () => {
      const { length } = one.frames
      await eventually(() => one.process.hasExited)
      // Blocks the event loop.
      if (length === 1) Atomics.wait(busy, 0, 0, 2500)
      handled.push(length)
    })
    expect(await one.exit).toMatchObject({ cause: 'exited', code: 0 })
    expect(one.frames.map(({ length }) => length)).toEqual(Array(5).fill(32_768))
    // Each was handled before the next was delivered.
    expect(handled).toEqual([1, 2, 3, 4, 5])
  })

  it('is not read while a frame is being handled', async () => {
    const { promise, resolve } = newPromise<void>()
    const flood = `const frame = Buffer.alloc(1e6 + 4); frame.writeUInt32BE(1e6)
      let sent = 0
      const next = () => process.stdout.write(frame, () => {
        process.stderr.write(++sent + ' ')
        if (sent < 8) next()
      })
      next()`
    const one = new Recorded(node(flood), () => promise)
    await eventually(() => one.frames.length === 1)
    resolve()
    const exit = await one.exit
    expect(exit).toMatchObject({ cause: 'exited', code: 0, stderr: '1 2 3 4 5 6 7 8 ' })
    expect(one.frames).toHaveLength(8)
  })

  it('gets no frame delivered after it was killed', async () => {
    const kill = () => one.process.kill()
    const one: Recorded = new Recorded(sh('frame one; frame two; exec sleep 100'), kill)
    expect(await one.exit).toMatchObject({ cause: 'killed' })
    expect(one.frames.map(String)).toEqual(['one'])
  })

  it('has an empty environment, and the root as its folder', async () => {
    const one = new Recorded(sh('frame "$PWD"; cat /proc/self/environ >&2; kill $$'))
    const { stderr, signal } = await one.exit
    expect(signal).toBe('SIGTERM')
    expect(one.frames.map(String)).toEqual(['/'])
    expect(stderr.replace(/(PWD|OLDPWD|SHLVL|_)=[^\0]*\0/g, '')).toBe('')
    const env = new Recorded(sh('frame "$NAME"', { env: { NAME: 'given' } }))
    expect(await env.text()).toEqual(['given'])
  })

  it('keeps the end of what it writes to standard error', async () => {
    const one = new Recorded(node(`process.stderr.write('a'.repeat(1e6) + 'end', () => {})`))
    const { stderr } = await one.exit
    expect(stderr).toHaveLength(8 * 1024)
    expect(stderr.endsWith('aend')).toBe(true)
  })

  it.each([
    ['that does not exist', { program: '/no/such/program', args: [] }],
    ['that may not be executed', { program: '/dev/null', args: [] }],
  ])('of a program %s exits, and says why on standard error', async (_, options) => {
    const exit = await new Recorded(options).exit
    expect(exit.cause).toBe('exited')
    expect([126, 127]).toContain(exit.code)
    expect(exit.stderr).toContain(options.program)
  })

  it('that cannot be started is reported once, and refuses frames', async () => {
    const one = new Recorded({ ...echo, cwd: '/no/such/folder' })
    await expect(one.process.send(Buffer.from('x'))).rejects.toThrow()
    expect(await one.exit).toMatchObject({ cause: 'start', error: { code: 'ENOENT' } })
    expect(one.exits).toHaveLength(1)
  })

  it('is killed when it sends a frame above the limit, and when its frame is refused', async () => {
    const large = new Recorded(sh('frame longer; exec sleep 100', { maxFrameBytes: 5 }))
    expect(await large.exit).toMatchObject({
      cause: 'protocol',
      signal: 'SIGKILL',
      error: { message: 'a frame of 6 bytes exceeds the limit of 5 bytes' },
    })
    expect(large.frames).toEqual([])
    const error = new Error('not understood')
    const refused = new Recorded(sh('frame x; exec sleep 100'), () => {
      throw error
    })
    expect(await refused.exit).toMatchObject({ cause: 'protocol', error })
  })

  it('is not sent a frame above the limit', async () => {
    const cat = new Recorded({ ...echo, maxFrameBytes: 5 })
    await expect(cat.process.send(Buffer.from('longer'))).rejects.toThrow('exceeds the limit')
    await cat.process.send(Buffer.from('short'))
    expect(await cat.text()).toEqual(['short'])
    cat.process.kill()
    await cat.exit
  })
})

describe('limits of a hosted process', () => {
  it('bound the time from its start', async () => {
    const one = new Recorded(sh('exec sleep 100', { limits: { wallMs: 100 } }))
    expect(await one.exit).toMatchObject({ cause: 'time', signal: 'SIGKILL' })
  })

  it('bound its processor time', async () => {
    const one = new Recorded(sh('while :; do :; done', { limits: { cpuSeconds: 1 } }))
    expect(await one.exit).toMatchObject({ cause: 'exited', signal: 'SIGKILL' })
  })

  it('bound its resident memory', async () => {
    const greedy = 'const kept = []; setInterval(() => kept.push(Buffer.alloc(8e6, 1)), 2)'
    const limits = { residentBytes: 150 * 1024 ** 2 }
    const one = new Recorded(node(greedy, { limits, memoryCheckMs: 10 }))
    expect(await one.exit).toMatchObject({ cause: 'memory', signal: 'SIGKILL' })
  })

  it('bound what it can allocate', async () => {
    const script = `try { Buffer.alloc(500e6, 1); process.exit(1) } catch (error) { process.exit(7) }`
    const one = new Recorded(node(script, { limits: { dataBytes: 256 * 1024 ** 2 } }))
    expect(await one.exit).toMatchObject({ cause: 'exited', code: 7 })
    const unbound = new Recorded(node(script))
    expect(await unbound.exit).toMatchObject({ cause: 'exited', code: 1 })
  })

  it('bound the files that it writes', async () => {
    await using folder = await tempDir()
    const path = join(folder.path, 'file')
    const script = `trap "" XFSZ; printf %2000d 1 > ${path}; wc -c < ${path} >&2`
    const one = new Recorded(sh(script, { limits: { fileBytes: 1024 } }))
    expect((await one.exit).stderr).toMatch(/^1024$/m)
  })

  it('lower the priority of all its threads once it has sent a frame', async () => {
    const one = new Recorded(sh('frame x; exec sleep 100', { niceness: 7 }))
    await one.text()
    expect(getPriority(one.pid)).toBe(7)
    one.process.kill()
    await one.exit
  })
})

describe('the end of a hosted process', () => {
  const withDescendant = 'sleep 100 & frame "$!"; '

  it('is the end of its descendants, when it is killed', async () => {
    const one = new Recorded(sh(`${withDescendant} wait`, { hasDescendants: true }))
    const [pid] = await one.text()
    expect(isAlive(Number(pid))).toBe(true)
    one.process.kill()
    await one.exit
    await eventually(() => !isAlive(Number(pid)))
  })

  it('is the end of its descendants, when it exits, and they do not delay the report', async () => {
    const one = new Recorded(sh(`${withDescendant} exit 0`, { hasDescendants: true }))
    expect(await one.exit).toMatchObject({ cause: 'exited', code: 0 })
    const [pid] = await one.text()
    await eventually(() => !isAlive(Number(pid)))
  })

  it('is reported also when a descendant that outlives it holds its output', async () => {
    const script = `
      const { spawn } = require('node:child_process')
      const { pid } = spawn('sleep', ['100'], { detached: true, stdio: 'inherit' })
      const frame = Buffer.alloc(8); frame.writeUInt32BE(4); frame.writeUInt32BE(pid, 4)
      process.stdout.write(frame, () => process.exit(0))`
    const one = new Recorded(node(script))
    expect(await one.exit).toMatchObject({ cause: 'exited', code: 0 })
    process.kill(one.frames[0]!.readUInt32BE(), 'SIGKILL')
  })

  it('is reported also when a descendant that outlives it keeps writing to its output', async () => {
    const script = `
      const { spawn } = require('node:child_process')
      const flood = 'while printf "\\\\0\\\\0\\\\0\\\\1x"; do sleep 0.1; done'
      const { pid } = spawn('/bin/sh', ['-c', flood], { detached: true, stdio: 'inherit' })
      process.stderr.write(String(pid), () => process.exit(0))`
    const one = new Recorded(node(script))
    const exit = await one.exit
    expect(exit).toMatchObject({ cause: 'exited', code: 0 })
    // A broken pipe ends it.
    await eventually(() => !isAlive(Number(exit.stderr)))
  })

  it.each([
    ['busy shell', sh('frame "$$"; while :; do :; done')],
    ['program that ignores its input', sh('frame "$$"; exec sleep 100')],
    ['program with a descendant', sh(`${withDescendant} wait`, { hasDescendants: true })],
  ])('comes with the end of its parent by SIGKILL: a %s', async (_, options) => {
    buildWorkers()
    const module = join(__dirname, '../../dist/processes/hosted-process.js')
    const script = `
      const { HostedProcess } = require(${JSON.stringify(module)})
      const options = ${JSON.stringify({ ...options, limits: {}, maxFrameBytes: 100 })}
      const child = new HostedProcess(options, {
        onFrame: (frame) => console.log(child.pid + ' ' + frame),
        onExit: () => {},
      })`
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(parent.stdout, 'data')) as [Buffer]
    const pids = line.toString().trim().split(' ').map(Number)
    for (const pid of pids) expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await eventually(() => !pids.some(isAlive))
  })

  it('is still certain when the shell that guards it was killed', async () => {
    const one = new Recorded(sh('frame x; exec sleep 100'))
    await one.text()
    const [guard = NaN, ...others] = listGuards()
    expect(others).toEqual([])
    process.kill(guard, 'SIGKILL')
    await eventually(() => listGuards().some((pid) => pid !== guard))
    one.process.kill()
    await one.exit
    // Without hosted processes there is no guard.
    await eventually(() => listGuards().length === 0)
  })
})

/** Shells of this process that kill what it would leave. */
function listGuards(): number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
  const pids = children.trim().split(' ').filter(Boolean).map(Number)
  return pids.filter(
    (pid) =>
      isAlive(pid) &&
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('read -r change target'),
  )
}
