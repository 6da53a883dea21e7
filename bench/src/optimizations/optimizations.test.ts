import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { workloads } from '../workloads'
import { optimizations, PAGE_BESIDE, PROFILE } from './optimizations'

const root = join(__dirname, '../../..')
const sourceOf = (module: string) =>
  join(
    root,
    module
      .replace(/\.js$/, '.ts')
      .replace(/^protos\/dist\//, 'protos/')
      .replace('/dist/', '/src/'),
  )

describe('the optimizations that can be switched off', () => {
  it.each(optimizations)('$name is found in its module', ({ module, exports }) => {
    const source = sourceOf(module)
    expect(existsSync(source)).toBe(true)
    for (const name of exports)
      expect(readFileSync(source, 'utf8')).toMatch(new RegExp(`^export .*\\b${name}\\b`, 'm'))
  })

  it('are measured by workloads that exist', () => {
    const known = [PAGE_BESIDE, PROFILE, ...workloads.map(({ name }) => name)]
    expect(known).toEqual(expect.arrayContaining(optimizations.flatMap((each) => each.workloads)))
  })

  it('have names of their own', () => {
    const names = optimizations.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})
