import type { IncomingMessage } from 'node:http'
import { prefersStrict } from './preferences'

const isStrict = (prefer?: string | string[]) =>
  prefersStrict({ headers: { prefer } } as unknown as IncomingMessage)

it.each([
  ['handling=strict', true],
  ['Handling = "Strict"', true],
  ['return=minimal, handling=strict; foo=1', true],
  [['return=minimal', 'handling=strict'], true],
  ['handling=lenient', false],
  ['handling=lenient, handling=strict', false],
  ['handling=strictly', false],
  ['wait=5; handling=strict', false],
  ['', false],
  [undefined, false],
])('Prefer: %s asks for strict handling: %s', (prefer, expected) => {
  expect(isStrict(prefer)).toBe(expected)
})
