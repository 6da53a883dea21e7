import { brokenUniqueConstraint, toUnavailable, withSearchPath } from './database'

describe('withSearchPath', () => {
  const optionsOf = (url: string) => new URL(url).searchParams.get('options')

  it('adds the schema to an address', () => {
    const url = withSearchPath('postgres://u:p@host:5432/db', 'directory')
    expect(url.startsWith('postgres://u:p@host:5432/db?options=')).toBe(true)
    expect(optionsOf(url)).toBe('-c search_path=directory -c jit=off')
  })

  it('keeps what the address states already', () => {
    const url = withSearchPath('postgres://h/db?sslmode=require&options=-c%20a%3Db&x=1', 'webhook')
    expect(optionsOf(url)).toBe('-c a=b -c search_path=webhook -c jit=off')
    expect(new URL(url).searchParams.get('sslmode')).toBe('require')
    expect(new URL(url).searchParams.get('x')).toBe('1')
  })
})

describe('toUnavailable', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', '57P01', '57P03', '08006', '53300'])(
    'knows %s',
    (code) => {
      const error = Object.assign(new Error('x'), { code })
      expect(toUnavailable(error)).toMatchObject({ code: 'unavailable' })
    },
  )

  it('knows the errors of the driver that have no code', () => {
    expect(toUnavailable(new Error('Connection terminated unexpectedly'))).toBeDefined()
    expect(toUnavailable(new AggregateError([new Error('x')]))).toBeDefined()
  })

  it.each([
    new Error('x'),
    Object.assign(new Error('x'), { code: '23505' }),
    'text',
    null,
    undefined,
  ])('leaves %p alone', (error) => expect(toUnavailable(error)).toBeUndefined())
})

describe('brokenUniqueConstraint', () => {
  it('names the constraint', () => {
    const error = Object.assign(new Error('x'), { code: '23505', constraint: 'users_email_key' })
    expect(brokenUniqueConstraint(error)).toBe('users_email_key')
    expect(brokenUniqueConstraint(Object.assign(error, { code: '23503' }))).toBeUndefined()
  })
})
