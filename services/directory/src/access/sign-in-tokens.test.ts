import { createSignInToken, hashSignInToken, isSignInToken } from './sign-in-tokens'

describe('tokens to sign in with', () => {
  it('are told apart by kind, and each is another', () => {
    const [session, link] = [createSignInToken('session'), createSignInToken('link')]
    expect(isSignInToken('session', session)).toBe(true)
    expect(isSignInToken('link', link)).toBe(true)
    expect(isSignInToken('link', session)).toBe(false)
    expect(isSignInToken('session', link)).toBe(false)
    expect(createSignInToken('session')).not.toBe(session)
  })

  it.each(['', 'shs_', 'shs_x', `shs_${'x'.repeat(44)}`, `shs_${'\n'.repeat(43)}`])(
    'do not look like %j',
    (text) => {
      expect(isSignInToken('session', text)).toBe(false)
    },
  )

  it('are stored as 32 bytes that tell nothing of them', () => {
    const token = createSignInToken('link')
    expect(hashSignInToken(token)).toHaveLength(32)
    expect(hashSignInToken(token).toString('base64url')).not.toBe(token.slice(4))
  })
})
