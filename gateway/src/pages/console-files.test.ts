import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConsoleFiles } from './console-files'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sheaf-console-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the files of the console', () => {
  it('are none where it has not been built', () => {
    expect(readConsoleFiles(join(folder, 'dist')).size).toBe(0)
  })

  it('have the page at the empty path, and types; those that were given a hash never change', () => {
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'index.html'), '<!doctype html>')
    writeFileSync(join(folder, 'assets/index-a1.js'), 'run()')
    writeFileSync(join(folder, 'assets/icon-b2.svg'), '<svg/>')
    const files = readConsoleFiles(folder)
    const shown = [...files].map(([path, { mediaType, isImmutable }]) => [
      path,
      mediaType,
      isImmutable,
    ])
    expect(shown).toEqual(
      expect.arrayContaining([
        ['', 'text/html; charset=utf-8', false],
        ['assets/index-a1.js', 'text/javascript; charset=utf-8', true],
        ['assets/icon-b2.svg', 'image/svg+xml; charset=utf-8', true],
      ]),
    )
    expect(shown).toHaveLength(3)
    expect(files.get('')?.bytes.toString()).toBe('<!doctype html>')
  })

  it('include their compressed forms, which are no files of their own', () => {
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'assets/index-a1.js'), 'run()')
    writeFileSync(join(folder, 'assets/index-a1.js.br'), 'short')
    writeFileSync(join(folder, 'assets/index-a1.js.gz'), 'shorter')
    writeFileSync(join(folder, 'assets/data.gz'), 'a file of its own')
    const files = readConsoleFiles(folder)
    expect([...files.keys()].sort()).toEqual(['assets/data.gz', 'assets/index-a1.js'])
    const { encoded, etag } = files.get('assets/index-a1.js') ?? {}
    const forms = [...(encoded ?? [])].map(([coding, { bytes }]) => [coding, bytes.toString()])
    expect(forms).toEqual([
      ['br', 'short'],
      ['gzip', 'shorter'],
    ])
    const tags = new Set([etag, encoded?.get('br')?.etag, encoded?.get('gzip')?.etag])
    expect(tags.size).toBe(3)
    expect(files.get('assets/data.gz')?.encoded.size).toBe(0)
  })
})
