import { readDryRun } from './dry-run'
import { parseQuery } from './query'

const read = (query: string, isSupported = true) =>
  readDryRun(parseQuery(`/?${query}`), isSupported)

it.each([
  ['', false],
  ['other=1', false],
  ['noparse=true&onmany=none', false],
  ['dryRun', true],
  ['dryRun=true', true],
  ['dryRun=TRUE', true],
  ['dryRun=1', true],
  ['dryRun=false', false],
  ['dryRun=0', false],
])('reads "%s" as %s', (query, expected) => {
  expect(read(query)).toBe(expected)
})

it.each(['dryRun=ture', 'dryRun=2', 'dryRun=true&dryRun=true', 'dryRun=constructor'])(
  'refuses "%s" instead of writing',
  (query) => {
    expect(() => read(query)).toThrow('dryRun must be true or false')
  },
)

it.each(['dryrun=true', 'dry_run=true', 'dry-run=1', 'DryRun', 'dryRum=true', 'dryRun%20=true'])(
  'refuses the misspelt "%s" instead of writing',
  (query) => {
    expect(() => read(query)).toThrow('did you mean "dryRun"?')
  },
)

it('refuses a dry run of a call that has none, and permits its absence', () => {
  expect(() => read('dryRun=true', false)).toThrow('this call has no dryRun')
  expect(read('dryRun=false', false)).toBe(false)
})
