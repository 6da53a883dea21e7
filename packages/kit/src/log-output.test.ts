import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import { LogOutput } from './log-output'

const folder = fs.mkdtempSync(join(tmpdir(), 'log-output-'))
let files = 0

/** An output to a new file. */
function open() {
  const path = join(folder, String(files++))
  const descriptor = fs.openSync(path, 'w')
  const writes = jest.spyOn(fs, 'write')
  const read = () => fs.readFileSync(path, 'utf8')
  return { output: new LogOutput(descriptor), descriptor, read, writes }
}

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}\n`)

afterEach(() => jest.restoreAllMocks())
afterAll(() => fs.rmSync(folder, { recursive: true }))

it('writes lines of one moment together, in their order', async () => {
  const { output, read, writes, descriptor } = open()
  const lines = numbered(100)
  for (const line of lines) output.groups.write(line)
  await eventually(() => expect(read()).toBe(lines.join('')))
  expect(writes.mock.calls.filter(([fd]) => fd === descriptor)).toHaveLength(1)
})

it('writes a warning at once, after the lines before it', async () => {
  const { output, read } = open()
  output.groups.write('a request\n')
  output.lines.write('a warning\n')
  output.groups.write('another request\n')
  await eventually(() => expect(read()).toBe('a request\na warning\nanother request\n'))
})

it('writes lines that arrive while others are written', async () => {
  const { output, read } = open()
  const lines = numbered(20_000)
  for (const line of lines.slice(0, 10_000)) output.groups.write(line)
  await new Promise(setImmediate)
  for (const line of lines.slice(10_000)) output.groups.write(line)
  await eventually(() => expect(read()).toBe(lines.join('')))
})

it('has written all lines after a synchronous flush', () => {
  const { output, read } = open()
  output.groups.write('a request\n')
  output.lines.flushSync()
  expect(read()).toBe('a request\n')
})
