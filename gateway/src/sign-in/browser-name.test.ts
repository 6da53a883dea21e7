import fc from 'fast-check'
import { nameBrowser } from './browser-name'

const mozilla = 'Mozilla/5.0'
const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

it.each([
  [
    `${mozilla} (X11; Linux x86_64) ${webkit} Chrome/140.0.0.0 Safari/537.36`,
    { browser: 'Chrome', system: 'Linux' },
  ],
  [
    `${mozilla} (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0`,
    { browser: 'Firefox', system: 'Windows' },
  ],
  [
    `${mozilla} (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1`,
    { browser: 'Safari', system: 'iOS' },
  ],
  [
    `${mozilla} (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
    { browser: 'Microsoft Edge', system: 'Windows' },
  ],
  ['curl/8.14.1', { browser: 'curl', system: null }],
  ['A Browser', { browser: 'A', system: null }],
  ['', { browser: null, system: null }],
])('%s is told in words', (userAgent, words) => {
  expect(nameBrowser(userAgent)).toEqual(words)
})

it('takes whatever a client calls itself, and stays short', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 256, unit: 'binary' }), (userAgent) => {
      const { browser, system } = nameBrowser(userAgent)
      for (const word of [browser, system]) expect(word?.length ?? 0).toBeLessThanOrEqual(60)
    }),
    { numRuns: 20 },
  )
})
