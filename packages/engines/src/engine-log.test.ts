import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastLines, logEnd, rotateLog } from './engine-log'

describe('the log of an engine', () => {
  let folder: string
  let file: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sheaf-log-'))
    file = join(folder, 'engine.log')
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is rotated only once it exceeds its size limit', async () => {
    rotateLog(file, 5)
    await writeFile(file, '12345')
    rotateLog(file, 5)
    expect(existsSync(file)).toBe(true)
    await writeFile(file, '123456')
    rotateLog(file, 5)
    expect(existsSync(file)).toBe(false)
    expect(await readFile(`${file}.1`, 'utf8')).toBe('123456')
  })

  it('returns the last lines of the current run only', async () => {
    expect(lastLines(file)).toBe('')
    await writeFile(file, 'an earlier run\n')
    const start = logEnd(file)
    await writeFile(file, 'first\nsecond\n', { flag: 'a' })
    expect(lastLines(file, start)).toBe('first | second')
  })
})
