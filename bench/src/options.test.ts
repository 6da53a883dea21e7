import { readOptions } from './options'

test('without arguments both servers are compared in three rounds', () => {
  const options = {
    mode: 'compare',
    rounds: 3,
    rows: 1_000_000,
    documents: 10_000,
    webhooks: 1_000,
  }
  expect(readOptions([])).toMatchObject({ ...options, only: '', markdown: false, whole: false })
})

test('arguments say what to measure, and how much of it', () => {
  const args = ['--mode', 'rows', '--rows', '5000', '--rounds=1', '--markdown', '--whole']
  const options = { mode: 'rows', rows: 5000, rounds: 1, markdown: true, whole: true }
  expect(readOptions(args)).toMatchObject(options)
})

test.each([
  [['--mode', 'fast'], /--mode must be one of compare, latency, rows, documents, webhooks, grid/],
  [['--rows', '0'], /--rows must be a whole number above 0/],
  [['--rounds', 'many'], /--rounds must be/],
  [['--webhooks', '0'], /--webhooks must be/],
  [['--other'], /--other/],
])('%j is refused with a reason', (args, reason) => {
  expect(() => readOptions(args)).toThrow(reason)
})
