import fc from 'fast-check'
import { createApiKey, hashApiKey, isApiKey } from './api-keys'

describe('API keys', () => {
  it('are marked, long enough, and never the same', () => {
    const keys = Array.from({ length: 1000 }, createApiKey)
    for (const key of keys) expect(key).toMatch(/^shf_[0-9A-Za-z]{36}$/)
    expect(new Set(keys).size).toBe(1000)
    expect(keys.every(isApiKey)).toBe(true)
  })

  it('are recognised as wrong when any one letter is another', () => {
    const key = createApiKey()
    const letter = fc.constantFrom(
      ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    )
    fc.assert(
      fc.property(fc.integer({ min: 4, max: key.length - 1 }), letter, (at, other) => {
        fc.pre(key[at] !== other)
        expect(isApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false)
      }),
    )
  })

  it('are told from other texts', () => {
    fc.assert(fc.property(fc.string(), (text) => !isApiKey(text)))
    expect(isApiKey(`${createApiKey()}\n`)).toBe(false)
  })

  it('are stored as their SHA-256', () => {
    expect(hashApiKey('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })
})
