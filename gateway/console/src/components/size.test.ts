import { formatSize } from './size'

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_500, '1.5 kB'],
  [1_000_000, '1 MB'],
  [2_345_000_000_000, '2,345 GB'],
])('%d bytes are shown as %s', (bytes, shown) => {
  expect(formatSize(bytes)).toBe(shown)
})
