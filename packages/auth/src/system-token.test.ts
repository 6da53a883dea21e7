import { ResolveAccessResponse } from '@sheaf/protos/sheaf/directory/v1/access'
import { SystemTokenSource } from './system-token'

/** Creates a directory whose tokens expire after this many milliseconds. */
function newDirectory(lifeMs: number) {
  const requests: unknown[] = []
  const resolveAccess = (request: unknown) => {
    requests.push(request)
    const token = `token ${requests.length}`
    const grant = { token, tokenExpiresAt: Date.now() + lifeMs }
    return Promise.resolve(ResolveAccessResponse.fromPartial(grant))
  }
  return { requests, resolveAccess }
}

describe('SystemTokenSource', () => {
  it('requests a token from directory once while it is valid', async () => {
    const directory = newDirectory(30_000)
    const source = new SystemTokenSource(directory, 'secret')
    expect([await source.token(), await source.token()]).toEqual(['token 1', 'token 1'])
    expect(directory.requests).toEqual([
      {
        credential: { $case: 'serviceKey', value: 'secret' },
        document: '',
        site: '',
        neededRole: 0,
      },
    ])
  })

  it('replaces a token that is about to expire', async () => {
    const source = new SystemTokenSource(newDirectory(4_000), 'secret')
    expect([await source.token(), await source.token()]).toEqual(['token 1', 'token 2'])
  })

  it('asks directory once for all calls that need a token at the same moment', async () => {
    const directory = newDirectory(30_000)
    const source = new SystemTokenSource(directory, 'secret')
    expect(await Promise.all([source.token(), source.token()])).toEqual(['token 1', 'token 1'])
    expect(directory.requests).toHaveLength(1)
  })

  it('asks again after directory has failed to answer', async () => {
    const directory = newDirectory(30_000)
    const answers = [() => Promise.reject(new Error('away')), directory.resolveAccess]
    const resolveAccess = (request: unknown) =>
      (answers.shift() ?? directory.resolveAccess)(request)
    const source = new SystemTokenSource({ resolveAccess }, 'secret')
    const failed = Promise.allSettled([source.token(), source.token()])
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await source.token()).toBe('token 1')
  })
})
