import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { homeWorkspace, useSystem } from '../support/system'

const system = useSystem()
const run = promisify(execFile)
const root = join(__dirname, '../..')

/** The commands that the README gives to try a running Sheaf: the block that begins with the address and the key. */
function readCommands(): string {
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  const blocks = [...text.matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => block)
  const [block = ''] = blocks.filter((lines) => lines.startsWith('export URL='))
  return block.slice(block.indexOf('\n') + 1)
}

describe('the README', () => {
  it('has commands that work as they are written, in any shell', async () => {
    // The key of a user whose personal site has a workspace.
    await homeWorkspace(system.alice.rest)
    const commands = readCommands()
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
})
