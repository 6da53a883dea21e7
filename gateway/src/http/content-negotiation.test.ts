import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { otherMediaTypes, negotiateRowFormat } from './content-negotiation'

const chosen = (accept?: string) =>
  negotiateRowFormat({ headers: { accept } } as IncomingMessage).mediaType.split(';')[0]

const json = 'application/json'
const arrow = 'application/vnd.apache.arrow.stream'

it.each([
  [undefined, json],
  ['', json],
  ['*/*', json],
  ['application/json', json],
  ['application/*', json],
  ['application/json, text/plain, */*', json],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', json],
  ['image/png', json],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV', 'text/csv'],
  ['text/csv; charset=utf-8; header=present', 'text/csv'],
  ['text/csv;profile="a,b;c"', 'text/csv'],
  ['text/*', 'text/csv'],
  ['text/csv, */*', 'text/csv'],
  ['text/csv;q=0.5, */*;q=0.1', 'text/csv'],
  ['text/csv;q=0', json],
  ['text/csv; q=0, application/json', json],
  ['text/csv; q=0.1, application/json', json],
  ['text/csv; header=absent; q=0.1;x="a,b", application/json; q=0.2', json],
  ['text/csv;q=0.5, application/json', json],
  ['application/json;q=0.5, text/csv;q=0.6', 'text/csv'],
  ['application/json;charset=utf-8, text/csv;q=0.9', json],
  ['application/x-ndjson', 'application/x-ndjson'],
  [`text/csv;q=0.8, ${arrow}`, arrow],
  [`${arrow};q=nonsense`, json],
])('Accept: %s is answered with %s', (accept, mediaType) => {
  expect(chosen(accept)).toBe(mediaType)
})

it('any text is answered in some form', () => {
  const pieces = fc.constantFrom(...otherMediaTypes, json, '*/*', ',', ';', 'q=', '0.5', '"', ' ')
  const header = fc.array(fc.oneof(pieces, fc.string()), { maxLength: 30 })
  fc.assert(
    fc.property(header, (parts) => {
      expect([json, ...otherMediaTypes]).toContain(chosen(parts.join('')))
    }),
  )
})
