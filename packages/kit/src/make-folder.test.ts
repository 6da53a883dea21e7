import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeFolder } from './make-folder'

describe('makeFolder', () => {
  let root: string
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'make-folder-'))))
  afterEach(() => rmSync(root, { recursive: true }))

  it('creates what is missing, for its user only, and accepts what is there', async () => {
    const path = join(root, 'a', 'b', 'c')
    await Promise.all([makeFolder(path), makeFolder(path)])
    await makeFolder(path)
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  it('refuses a file in the way', async () => {
    const file = join(root, 'file')
    writeFileSync(file, '')
    await expect(makeFolder(file)).rejects.toMatchObject({ code: 'ENOTDIR' })
    await expect(makeFolder(join(file, 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  const onProc = existsSync('/proc/self') ? it : it.skip
  onProc('ends where the file system calls an existing parent missing', async () => {
    await expect(makeFolder('/proc/none/a')).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
