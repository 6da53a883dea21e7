import fc from 'fast-check'
import { mayHaveAsOf, readAsOf } from './as-of'
import { parseQuery } from './query'

function read(query: string, isSupported = true) {
  const url = `/?${query}`
  if (!mayHaveAsOf(url)) return undefined
  return readAsOf(parseQuery(url), isSupported)?.moment
}

it('reads the position of a change', () => {
  expect(read('asOf=12')).toEqual({ $case: 'seq', value: 12 })
  expect(read('limit=1&asOf=12')).toEqual({ $case: 'seq', value: 12 })
  expect(read('as%4ff=12')).toEqual({ $case: 'seq', value: 12 })
  for (const other of ['limit=1', 'q=asOf%3D1', 'ba%73Of=1', '%=1'])
    expect(read(other)).toBeUndefined()
})

it('reads every time by RFC 3339, also with an offset whose plus sign is not encoded', () => {
  const moments = fc.date({
    min: new Date('1970-01-01T00:00:00Z'),
    max: new Date('2999-12-31T00:00:00Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(moments, fc.integer({ min: 0, max: 14 }), (moment, hours) => {
      const value = moment.getTime()
      const local = new Date(value + hours * 3_600_000).toISOString()
      const zoned = local.replace('Z', `+${String(hours).padStart(2, '0')}:00`)
      for (const text of [moment.toISOString(), zoned, encodeURIComponent(zoned)])
        expect(read(`asOf=${text}`)).toEqual({ $case: 'time', value })
    }),
  )
})

it.each(['asOf', 'asOf=', 'asOf=0', 'asOf=-1', 'asOf=1.5', 'asOf=1&asOf=2', 'asOf=2026-01-01'])(
  'refuses "%s"',
  (query) => {
    expect(() => read(query)).toThrow('asOf must be the seq of a change, or a time by RFC 3339')
  },
)

it.each(['asof=1', 'as_of=1', 'AsOf=1', 'as-of=1'])(
  'refuses the misspelt "%s" instead of answering the present',
  (query) => {
    expect(() => read(query)).toThrow('did you mean "asOf"?')
  },
)

it('is refused by a call that knows the present alone', () => {
  expect(() => read('asOf=1', false)).toThrow('this call has no asOf')
})
