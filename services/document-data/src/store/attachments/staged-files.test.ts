import { createHash } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { StagedFiles } from './staged-files'

const limits = { fileBytes: 1000, documentBytes: 1000 }

/** Makes every write to a file take a few bytes only, as a disk that is almost full may. */
async function shortenWrites(folder: string) {
  await using handle = await open(join(folder, 'any'), 'w')
  type Handle = { write(bytes: Uint8Array, ...rest: number[]): Promise<unknown> }
  const shared = Object.getPrototypeOf(handle) as Handle
  const { write } = shared
  return jest.spyOn(shared, 'write').mockImplementation(function (this: Handle, bytes, ...rest) {
    const [at = 0, length = 0, position = 0] = rest
    return write.call(this, bytes, at, Math.min(3, length), position)
  })
}

describe('a staged file', () => {
  afterEach(() => jest.restoreAllMocks())

  it('is whole when the disk takes less than is written to it at once', async () => {
    await using folder = await tempDir()
    const own = join(folder.path, 'own')
    await mkdir(own)
    await using staged = await StagedFiles.open<string>(own, limits, () => {})
    const writes = await shortenWrites(folder.path)
    for (const text of ['first file', 'second']) {
      staged.begin(text)
      await staged.write(Buffer.from(text))
      staged.end()
    }
    expect(writes).toHaveBeenCalledTimes(6)
    for (const { about, size, sha256, read } of staged.files) {
      expect((await read(0, size)).toString()).toBe(about)
      expect(sha256).toBe(createHash('sha256').update(about).digest('hex'))
    }
  })
})
