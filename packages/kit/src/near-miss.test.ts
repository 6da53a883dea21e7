import { findNearMiss } from './near-miss'

const tables = ['People', 'Pets', 'Invoices']

describe('findNearMiss', () => {
  it.each([
    ['Peple', 'People'],
    ['people', 'People'],
    ['Invoice', 'Invoices'],
    ['Pts', 'Pets'],
    ['Pest', 'Pets'],
  ])('finds what %s means: %s', (name, meant) => {
    expect(findNearMiss(name, tables)).toEqual({
      hint: `; did you mean "${meant}"?`,
      details: { suggestion: meant },
    })
  })

  it.each(['Nope', 'X', 'Pe', '', 'Peepholes', 'p'.repeat(100_000)])(
    'guesses nothing for %.20s',
    (name) => expect(findNearMiss(name, tables)).toEqual({ hint: '', details: {} }),
  )

  it('takes bounded time, however many and long the names are', () => {
    const many = Array.from({ length: 200_000 }, (_, at) => `${'x'.repeat(60)}${at}`)
    const before = process.cpuUsage()
    findNearMiss('x'.repeat(64), many)
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000)
    expect(findNearMiss('People', ['P'.repeat(1e6), 'Peoples']).details.suggestion).toBe('Peoples')
  })
})
