import fc from 'fast-check'
import { accessTokenCredential, isJwt } from './credential'

describe('access tokens', () => {
  it('are told from API keys and other texts by their form', () => {
    for (const text of ['eyJh.eyJp.c2ln', 'eyJh.eyJp.'] as const) expect(isJwt(text)).toBe(true)
    for (const text of [`shf_${'x'.repeat(36)}`, 'a.b', 'a.b.c.d.e', 'a b.c.d', '', '..'])
      expect(isJwt(text)).toBe(false)
  })

  it('are remembered and counted each by a name of its own, which is no token', () => {
    const begin = 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.'
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        fc.pre(one !== other)
        const names = [one, other].map((rest) => accessTokenCredential(begin + rest).secret)
        expect(names[0]?.slice(0, 12)).not.toBe(names[1]?.slice(0, 12))
        expect(names.some(isJwt)).toBe(false)
      }),
    )
  })
})
