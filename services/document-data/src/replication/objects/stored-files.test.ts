import { createHash } from 'node:crypto'
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import { FolderStore } from './folder-store'
import { StoredFiles } from './stored-files'

const DOC = '11111111-1111-4111-8111-111111111111'
const PIECE = 256 * 1024

let folder: TempDir
let stored: StoredFiles
let names = 0

beforeEach(async () => {
  folder = await tempDir()
  stored = new StoredFiles(new FolderStore(join(folder.path, 'store')))
})

afterEach(() => folder[Symbol.asyncDispose]())

/** Bytes of pieces that each hold one number. */
const bytesOf = (...pieces: number[]) => Buffer.concat(pieces.map((n) => Buffer.alloc(PIECE, n)))

async function put(name: string, bytes: Buffer): Promise<void> {
  const path = join(folder.path, `in-${names++}`)
  await writeFile(path, bytes)
  await stored.putFile(DOC, name, path)
}

/** The SHA-256 of a file that is fetched: comparisons of its bytes would take long. */
async function get(name: string): Promise<string | undefined> {
  const path = join(folder.path, `out-${names++}`)
  return (await stored.get(DOC, name, path)) ? hashOf(await readFile(path)) : undefined
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const pathOf = (part: string) => join(folder.path, 'store', '11', DOC, part)
const pieces = () => readdir(pathOf('pieces'))

async function makeOld(part: string): Promise<void> {
  for (const file of await readdir(pathOf(part))) await utimes(join(pathOf(part), file), 1, 1)
}

describe('stored files', () => {
  it.each([0, 1, PIECE - 1, PIECE, PIECE + 1, 20 * PIECE + 7])('keep %d bytes', async (size) => {
    const bytes = Buffer.from(Array.from({ length: size }, (_, index) => (index * 31) % 251))
    await put('snapshots/a', bytes)
    expect(await get('snapshots/a')).toBe(hashOf(bytes))
  })

  it('store equal pieces once', async () => {
    await put('snapshots/a', bytesOf(1, 2, 1))
    await put('snapshots/b', bytesOf(2, 3))
    expect(await pieces()).toHaveLength(3)
  })

  it('tell that there is none', async () => {
    expect(await get('snapshots/none')).toBeUndefined()
  })

  it.each(['pieces', 'snapshots'])('refuse what is damaged: %s', async (part) => {
    await put('snapshots/a', bytesOf(1))
    for (const file of await readdir(pathOf(part))) await writeFile(join(pathOf(part), file), '{')
    await expect(get('snapshots/a')).rejects.toMatchObject({ reason: 'SNAPSHOT_DAMAGED' })
  })

  it('are stored anew where the store may have damaged pieces, which are otherwise taken as they are', async () => {
    await put('snapshots/a', bytesOf(1, 2))
    for (const piece of await pieces()) await writeFile(join(pathOf('pieces'), piece), '{')
    await put('snapshots/b', bytesOf(1, 2))
    await expect(stored.verify(DOC, 'snapshots/b')).rejects.toMatchObject({
      reason: 'SNAPSHOT_DAMAGED',
    })
    const path = join(folder.path, 'whole')
    await writeFile(path, bytesOf(1, 2))
    await stored.putFile(DOC, 'snapshots/c', path, true)
    expect(await stored.verify(DOC, 'snapshots/c')).toBe(true)
    expect(await get('snapshots/c')).toBe(hashOf(bytesOf(1, 2)))
    expect(await stored.verify(DOC, 'snapshots/none')).toBe(false)
  })

  const sweep = () =>
    stored.sweep(DOC, { folder: 'snapshots', except: 'snapshots/b', before: Date.now() - 60_000 })

  it('are swept: what is old and no other file needs goes, and nothing else', async () => {
    await put('contents/c', bytesOf(4))
    await put('snapshots/a', bytesOf(1, 2))
    for (const part of ['pieces', 'snapshots', 'contents']) await makeOld(part)
    await put('snapshots/b', bytesOf(2, 3))
    await sweep()
    expect(await get('snapshots/a')).toBeUndefined()
    expect(await get('snapshots/b')).toBe(hashOf(bytesOf(2, 3)))
    expect(await get('contents/c')).toBe(hashOf(bytesOf(4)))
    expect(await pieces()).toHaveLength(3)
  })

  it('that are young are not swept, since another instance may be reading them', async () => {
    await put('snapshots/a', bytesOf(1))
    await put('snapshots/b', bytesOf(2))
    await sweep()
    expect(await get('snapshots/a')).toBe(hashOf(bytesOf(1)))
  })

  it('keep a piece that was old when a file took it again', async () => {
    await put('snapshots/a', bytesOf(1))
    await makeOld('pieces')
    // As when its manifest is not written yet.
    await put('other/z', bytesOf(1))
    await makeOld('snapshots')
    await put('snapshots/b', bytesOf(2))
    await sweep()
    expect(await pieces()).toHaveLength(2)
  })
})
