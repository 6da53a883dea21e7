import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RuntimeFiles } from '../../src/evaluator/runtime-files'
import { javascript } from '../support/javascript-attempts'
import { diskFolder, standInRuntime, TestEvaluator } from '../support/test-evaluator'

/** Runs what a test sends in place of Python, after everything that precedes it. */
const harness = `
import { createRequire } from 'node:module'
const require = createRequire('file:///x.js')
const connect = (socket) => new Promise((resolve, reject) => {
  for (const event of ['connect', 'listening', 'response', 'exit']) socket.once(event, () => resolve(event))
  socket.once('error', reject)
})
const AsyncFunction = (async () => {}).constructor
const readFully = (length) => {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += stdin.readSync(bytes.subarray(at)));
  return bytes
}
for (;;) {
  const length = new DataView(readFully(4).buffer).getUint32(0)
  const { code } = JSON.parse(new TextDecoder().decode(readFully(length)))
  let answer
  try {
    const value = await new AsyncFunction('require', 'connect', 'folder', code)(require, connect, folder)
    answer = { type: 'ran', value: value === undefined ? 'undefined' : String(value) }
  } catch (error) {
    answer = { type: 'failed', name: error.name, message: error.message }
  }
  const frame = new TextEncoder().encode(JSON.stringify(answer))
  const head = new Uint8Array(4)
  new DataView(head.buffer).setUint32(0, frame.length)
  stdout.writeSync(new Uint8Array([...head, ...frame]))
}
`

/** Both layers are tested: the permissions of Deno, and the globals that the host removes besides. */
const layers = [
  { layer: 'of the host as it is', keepsGlobals: false },
  { layer: 'with permissions alone', keepsGlobals: true },
]

async function makeHarness(folder: string, keepsGlobals: boolean): Promise<RuntimeFiles> {
  const original = await standInRuntime()
  await cp(original.folder, folder, { recursive: true })
  const program = join(folder, 'main.js')
  const text = await readFile(program, 'utf8')
  const start = /^runMain\(python, `import sheaf_host.*$/m
  const removal = /^for \(const name of REMOVED\).*$/m
  for (const line of [start, removal]) expect(text).toMatch(line)
  const changed = text.replace(start, () => harness)
  await writeFile(program, keepsGlobals ? changed.replace(removal, '') : changed)
  return { ...original, folder }
}

describe.each(layers)('JavaScript in the process of an evaluator $layer', ({ keepsGlobals }) => {
  let folder: Awaited<ReturnType<typeof diskFolder>>
  let runtime: RuntimeFiles
  let evaluator: TestEvaluator | undefined
  beforeAll(async () => {
    folder = await diskFolder()
    runtime = await makeHarness(folder.path, keepsGlobals)
  })
  beforeEach(async () => {
    if (!evaluator || evaluator.process.hasExited)
      evaluator = await TestEvaluator.start({ runtime })
  })
  afterAll(async () => {
    await evaluator?.[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const attempts = javascript
    .filter(([, , isHarmless]) => !keepsGlobals || !isHarmless)
    .map(([what, code]) => ({ what, code }))
  it.each(attempts)('does not reach $what', async ({ code }) => {
    // An attempt proves nothing in a process that does not run it.
    expect(await evaluator!.run('return 6 * 7')).toEqual({ type: 'ran', value: '42' })
    const outcome = await evaluator!.run(code)
    if (outcome.type === 'ran') expect(outcome).toMatchObject({ value: 'undefined' })
    else expect(['failed', 'exit']).toContain(outcome.type)
  })
})
