import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { formatVersion, readVersion } from './version'

async function versionOf(commit: string | undefined) {
  await using folder = await tempDir()
  await writeFile(join(folder.path, 'package.json'), '{"version":"1.2.3"}')
  await mkdir(join(folder.path, 'dist'))
  if (commit !== undefined) await writeFile(join(folder.path, 'dist/commit'), commit)
  return readVersion(folder.path)
}

describe('the version', () => {
  it('has the commit that the build recorded', async () => {
    const version = await versionOf('0123456789ab\n')
    expect(version).toEqual({ version: '1.2.3', commit: '0123456789ab' })
    expect(formatVersion(version)).toBe('1.2.3+0123456789ab')
  })

  it.each([undefined, '', 'unknown'])('has no commit when the build recorded %p', async (text) => {
    const version = await versionOf(text)
    expect(version).toEqual({ version: '1.2.3' })
    expect(formatVersion(version)).toBe('1.2.3')
  })
})
