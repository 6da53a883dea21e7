import { findAccount } from './account'

const passwd = `root:x:0:0:root:/root:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
postgres:x:101:104::/var/lib/postgresql:/bin/bash
`

describe('findAccount', () => {
  it('returns the first preferred name that exists', () => {
    const account = findAccount(passwd, ['postgres', 'nobody'])
    expect(account).toEqual({ name: 'postgres', uid: 101, gid: 104 })
    expect(findAccount(passwd, ['pgsql', 'nobody'])?.name).toBe('nobody')
  })

  it('returns nothing when no name exists, or only one with the uid of root', () => {
    expect(findAccount(passwd, ['pgsql'])).toBeUndefined()
    expect(findAccount('postgres:x:0:0::/:/bin/sh', ['postgres'])).toBeUndefined()
  })
})
