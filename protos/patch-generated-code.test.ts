import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const { patchFolder } = jest.requireActual<{ patchFolder(folder: string): void }>(
  './patch-generated-code.js',
)

const DECODED = 'message.chunk = Buffer.from(reader.bytes())'
const ENCODED = 'const bytes = Buffer.from(Part.encode(value).finish())'

describe('the patch of generated code', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sheaf-patch-'))
    mkdirSync(join(root, 'gen', 'a'), { recursive: true })
  })
  afterEach(() => rmSync(root, { recursive: true }))

  const generate = (...lines: string[]) =>
    writeFileSync(join(root, 'gen', 'a', 'part.ts'), ["import x from 'x'", ...lines].join('\n'))
  const patch = () => patchFolder(join(root, 'gen'))

  it('replaces copies by views, and imports what makes them', () => {
    generate(DECODED, ENCODED)
    patch()
    expect(readFileSync(join(root, 'gen', 'a', 'part.ts'), 'utf8').split('\n')).toEqual([
      "import { asBuffer, encodeBytes } from '../../bytes'",
      "import x from 'x'",
      'message.chunk = asBuffer(reader.bytes())',
      'const bytes = encodeBytes(Part, value)',
    ])
  })

  it('fails when any one of its patterns matches nowhere, and names it', () => {
    generate(DECODED)
    expect(patch).toThrow(/no match for encoded messages$/)
    generate(ENCODED)
    expect(patch).toThrow(/no match for decoded bytes$/)
    generate()
    expect(patch).toThrow(/no match for decoded bytes, encoded messages$/)
  })
})
