import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { homeWorkspace, useSystem } from '../support/system'

const system = useSystem()
const run = promisify(execFile)
const root = join(__dirname, '../..')

/** The block of commands in the README that begins like this. */
function readBlock(beginning: string): string {
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  const blocks = [...text.matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => block)
  const found = blocks.find((lines) => lines.startsWith(beginning))
  if (found === undefined) throw new Error(`README.md has no block that begins with ${beginning}`)
  return found
}

describe('the README', () => {
  it('has commands that work as they are written, in any shell', async () => {
    // The key of a user whose personal site has a workspace.
    await homeWorkspace(system.alice.rest)
    const block = readBlock('export URL=')
    // Without the first line, which has the address and the key.
    const commands = block.slice(block.indexOf('\n') + 1)
    expect(commands).toContain('curl')
    const { url: URL, ownerKey: KEY } = system.sheaf
    const env = { PATH: process.env.PATH, URL, KEY }
    const { stdout } = await run('/bin/sh', ['-eu', '-c', commands], { env })
    const answers = stdout
      .replaceAll('}{', '}\n{')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown)
    const [ada, grace] = [
      { id: 1, fields: { Name: 'Ada', Born: Date.UTC(1815, 11, 10) / 1000 } },
      { id: 2, fields: { Name: 'Grace', Born: Date.UTC(1906, 11, 9) / 1000 } },
    ]
    expect(answers).toEqual([
      { tables: [{ id: 'People' }] },
      { records: [{ id: 1 }, { id: 2 }] },
      { records: [grace, ada] },
      { records: [ada] },
    ])
  })

  it('has a command that loads its rows as it is written', async () => {
    const { url: SHEAF_URL, ownerKey: KEY } = system.sheaf
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, SHEAF_URL, KEY }
    const command = readBlock('SHEAF_API_KEY=$KEY')
    const { stdout } = await run('/bin/sh', ['-eu', '-c', command], { env, cwd: root })
    expect(stdout).toContain('34,032')
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('To load 34,032 real rows')
  })
})
