import { writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { ConfigError, EnvReader } from './config'

function faultsOf(run: () => unknown): readonly string[] {
  try {
    run()
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

describe('EnvReader', () => {
  it('names every fault at once', () => {
    const read = new EnvReader({ PORT: 'many', MODE: 'odd', ON: 'maybe' })
    const config = {
      port: read.int('PORT', 1),
      mode: read.oneOf('MODE', ['a', 'b'], 'a'),
      on: read.bool('ON', false),
      url: read.secret('URL'),
    }
    expect(faultsOf(() => read.done(config))).toEqual([
      expect.stringContaining('PORT must be a whole number'),
      'MODE must be one of a, b',
      'ON must be true or false',
      'URL (or URL_FILE) is not set',
    ])
  })

  describe('of a setting that was renamed', () => {
    const readBoth = (env: Record<string, string>) => {
      const warnings: string[] = []
      const read = new EnvReader(env, (sentence) => warnings.push(sentence))
      const name = read.renamed('OLD', 'NEW')
      const values = [read.str(name, 'default'), read.str(name, 'default')]
      return { values, warnings, names: [...read.names] }
    }

    it('reads the former name, with one warning that names the new one', () => {
      expect(readBoth({ OLD: 'x' })).toEqual({
        values: ['x', 'x'],
        warnings: ['OLD is now called NEW'],
        names: ['NEW'],
      })
    })

    it('prefers the new name, and warns of the former one', () => {
      const { values, warnings } = readBoth({ OLD: 'x', NEW: 'y' })
      expect(values).toEqual(['y', 'y'])
      expect(warnings).toEqual([expect.stringContaining('ignored')])
    })

    it('warns of nothing when the former name is not set', () => {
      expect(readBoth({ NEW: 'y', OLD: '' })).toMatchObject({ values: ['y', 'y'], warnings: [] })
      expect(readBoth({})).toMatchObject({ values: ['default', 'default'], warnings: [] })
    })
  })

  it('takes defaults for what is absent or empty', () => {
    const read = new EnvReader({ A: '', B: '  ' })
    expect(
      read.done({
        a: read.str('A', 'x'),
        b: read.int('B', 7),
        c: read.list('C', ['y']),
        d: read.bool('D', true),
      }),
    ).toEqual({ a: 'x', b: 7, c: ['y'], d: true })
  })

  it('reads a secret from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'config-'))
    writeFileSync(join(folder, 'key'), 'hush\n')
    expect(new EnvReader({ KEY_FILE: join(folder, 'key') }).secret('KEY')).toBe('hush')
    rmSync(folder, { recursive: true })
  })

  it('refuses a secret that is given twice, and a file that cannot be read', () => {
    const read = new EnvReader({ A: 'x', A_FILE: '/nowhere/a', B_FILE: '/nowhere/b' })
    read.secret('A')
    read.secret('B')
    expect(faultsOf(() => read.done({}))).toEqual([
      'A and A_FILE are both set',
      'B_FILE names a file that cannot be read',
    ])
  })

  it('accepts whole numbers within their bounds and nothing else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer().map(String)), (text) => {
        const read = new EnvReader({ N: text })
        const value = read.int('N', 5, { min: 0, max: 9 })
        const good =
          text.trim() === '' ||
          (/^-?\d+$/.test(text.trim()) && Number(text) >= 0 && Number(text) <= 9)
        expect(faultsOf(() => read.done(value)).length).toBe(good ? 0 : 1)
      }),
    )
  })

  it('reads addresses to listen on, and refuses what is none', () => {
    const listenOn = (text: string) => {
      const read = new EnvReader({ L: text })
      const value = read.optionalListen('L')
      return faultsOf(() => read.done(value))[0] ?? value
    }
    expect(listenOn('')).toBeUndefined()
    expect(listenOn('127.0.0.1:0')).toEqual({ host: '127.0.0.1', port: 0 })
    expect(listenOn('[::1]:9464')).toEqual({ host: '::1', port: 9464 })
    for (const text of ['9464', ':9464', 'host:', 'host:65536', 'http://host:1', '::1:9464'])
      expect(listenOn(text)).toBe('L must be host:port')
  })

  it('knows every name that was asked for', () => {
    const read = new EnvReader({})
    read.str('A', '')
    read.optionalSecret('B')
    expect([...read.names].sort()).toEqual(['A', 'B', 'B_FILE'])
  })
})
