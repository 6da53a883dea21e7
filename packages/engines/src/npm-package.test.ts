import { reasonIn } from './npm-package'

describe('reasonIn', () => {
  it('returns the explanation from the output of npm, without its error codes', () => {
    const stderr = `npm warn using --force
npm error code ECONNREFUSED
npm error syscall connect
npm error FetchError: request to the registry failed, reason: connect ECONNREFUSED.
npm error A complete log of this run can be found in: a file`
    expect(reasonIn(stderr)).toBe(
      'FetchError: request to the registry failed, reason: connect ECONNREFUSED',
    )
  })

  it('says that npm is required when it could not be started', () => {
    expect(reasonIn('sh: 1: exec: npm: not found')).toBe('is npm on the PATH?')
  })
})
