import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readBackupLines } from './backup-file'

describe('readBackupLines', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sheaf-backup-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  async function read(content: string): Promise<string[]> {
    await writeFile(join(folder, 'lines.ndjson'), content)
    const lines: string[] = []
    for await (const line of readBackupLines(folder, 'lines.ndjson')) lines.push(line.toString())
    return lines
  }

  it('cuts no line in two where a text has a line separator', async () => {
    const line = JSON.stringify({ memo: 'one\u2028two\u2029three\u0085four' })
    expect(await read(`${line}\n${line}\n`)).toEqual([line, line])
  })

  it('takes lines longer than what is read at once, and a last one without an end', async () => {
    const lines = ['a'.repeat(200_000), 'b', 'c'.repeat(70_000)]
    expect(await read(lines.join('\n'))).toEqual(lines)
    expect(await read('')).toEqual([])
  })
})
