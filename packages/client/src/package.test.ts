import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import ts from 'typescript'

const folder = join(__dirname, '..')
const MAX_BYTES = 12 * 1024

/** The code of the package without types and comments, as bundlers take it. */
function readCode(): string {
  const files = readdirSync(__dirname).filter((name) => !name.endsWith('.test.ts'))
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ES2022,
    removeComments: true,
  }
  return files
    .map((name) =>
      ts.transpileModule(readFileSync(join(__dirname, name), 'utf8'), { compilerOptions }),
    )
    .map(({ outputText }) => outputText)
    .join('')
}

describe('the package', () => {
  it('has at most 12 kB when compressed', () => {
    expect(gzipSync(readCode()).length).toBeLessThanOrEqual(MAX_BYTES)
  })

  it('depends on nothing, neither packages nor modules of Node', () => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object
    expect(Object.keys(manifest)).not.toContain('dependencies')
    const imported = [...readCode().matchAll(/\bfrom ['"]([^'"]+)['"]/g)].map(([, name]) => name)
    expect(imported.length).toBeGreaterThan(10)
    expect(imported.filter((name) => !name?.startsWith('./'))).toEqual([])
  })

  it('uses nothing that Node 18 does not have', () => {
    const missing =
      /AbortSignal\.any|Array\.fromAsync|withResolvers|randomUUID|Symbol\.asyncDispose|\bFile\(/
    expect(readCode()).not.toMatch(missing)
  })
})
