import * as fc from 'fast-check'
import { checkUrl, isHostEntry } from './url-rule'

const isRefused = (url: string, allowed: readonly string[] = []) => {
  try {
    checkUrl(url, allowed)
    return false
  } catch (error) {
    expect(error).toMatchObject({
      code: 'forbidden',
      reason: 'URL_FORBIDDEN',
      message: expect.stringMatching(/^Provided url is forbidden: it must be/) as string,
    })
    return true
  }
}

/** Spellings of one number that address parsers accept. */
const spell = (number: number) =>
  fc.constantFrom(
    String(number),
    `0x${number.toString(16)}`,
    `0X${number.toString(16)}`,
    `0${number.toString(8)}`,
  )

/** An IPv4 address in any form that address parsers accept. */
const disguise = (octets: readonly [number, number, number, number]) => {
  const [a, b, c, d] = octets
  const forms = [
    [a, b, c, d],
    [a, b, c * 256 + d],
    [a, (b * 256 + c) * 256 + d],
    [((a * 256 + b) * 256 + c) * 256 + d],
  ]
  return fc
    .constantFrom(...forms)
    .chain((parts) => fc.tuple(...parts.map(spell)))
    .chain((parts) =>
      fc.constantFrom(parts.join('.'), `${parts.join('.')}.`, parts.join('。'), parts.join('%2e')),
    )
}
const octet = fc.nat(255)
const privateHost = fc
  .oneof(
    fc.tuple(fc.constantFrom(0, 10, 127, 224, 240, 255), octet, octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  )
  .chain(disguise)

describe('the URL of a webhook', () => {
  it.each([
    'https://example.com/hook',
    'https://example.com:8443/a/b?c=d#e',
    'HTTPS://EXAMPLE.com.',
    'https://bücher.example/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://localhost.example.com/',
    'https://notlocal.example/',
  ])('may be %s', (url) => {
    expect(checkUrl(url, [])).toEqual({ url: new URL(url), isAllowedHost: false })
  })

  it.each([
    '',
    'not a url',
    'example.com/hook',
    '//example.com',
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://',
    'https://user@example.com/',
    'https://user:pass@example.com/',
    'https://:pass@example.com/',
    'https://example.com@127.0.0.1/',
    'https://127.0.0.1\\@example.com/',
    'https://exam\nple.com/',
    'https://example.com/\t',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://router.home.arpa/',
    'https://redis/',
    'https://redis./',
    'https://local%68ost/',
    'https://loc\u00adalhost/',
    'https://ⓛocalhost/',
    'https://a..internal/',
    'https://localhost../',
    'https://.example.com/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://127.0.0.1:8443/',
    'https://１２７.0.0.1/',
  ])('must not be %j', (url) => {
    expect(isRefused(url)).toBe(true)
  })

  it('must not be a private address of IPv4, however it is written', () => {
    fc.assert(
      fc.property(privateHost, (host) => {
        expect([host, isRefused(`https://${host}/`)]).toEqual([host, true])
      }),
    )
  })

  it('is taken or refused, whatever the text is', () => {
    const rest = fc.oneof(fc.string({ unit: 'grapheme' }), fc.webUrl(), fc.domain())
    fc.assert(
      fc.property(fc.constantFrom('', 'https://', 'http://', 'https:'), rest, (start, end) => {
        if (isRefused(start + end)) return
        const { url } = checkUrl(start + end, [])
        expect([url.protocol, url.username, url.password]).toEqual(['https:', '', ''])
      }),
    )
  })

  it('may name a host that the operator has opened, with http too', () => {
    for (const [entry, url] of [
      ['localhost', 'http://localhost:8000/x'],
      ['localhost', 'https://api.localhost/'],
      ['127.0.0.1', 'http://127.0.0.1:1234/'],
      ['127.0.0.1', 'http://2130706433/'],
      ['127.0.0.1:1234', 'http://127.0.0.1:1234/'],
      ['::1', 'http://[::1]:80/'],
      ['[::1]:8000', 'http://[0:0::1]:8000/'],
      ['corp.local', 'http://hooks.corp.local/'],
      ['.corp.local', 'http://hooks.corp.local/'],
      ['example.com:443', 'https://example.com/'],
      ['redis', 'http://redis:6379/'],
      ['*', 'http://10.0.0.1/'],
    ] as const)
      expect([entry, checkUrl(url, ['other.example', entry])]).toEqual([
        entry,
        { url: new URL(url), isAllowedHost: true },
      ])
  })

  it('is not opened by an entry for another host or port, or by one that makes no sense', () => {
    for (const [entry, url] of [
      ['127.0.0.1:1234', 'http://127.0.0.1:1235/'],
      ['127.0.0.1:80', 'https://127.0.0.1/'],
      ['0.0.1', 'http://10.0.0.1/'],
      ['0.1', 'http://127.0.0.1/'],
      ['corp.local', 'http://evilcorp.local/'],
      ['hooks.corp.local', 'http://corp.local/'],
      ['', 'http://localhost/'],
      ['*.corp.local', 'http://hooks.corp.local/'],
      [':', 'http://localhost/'],
      ['local host', 'http://localhost/'],
    ] as const)
      expect([entry, isRefused(url, [entry])]).toEqual([entry, true])
  })

  it('has no user even with all hosts open, and is of the web', () => {
    for (const url of [
      'http://a:b@localhost/',
      'http://a@localhost/',
      'ftp://localhost/',
      'data:,x',
    ])
      expect([url, isRefused(url, ['*'])]).toEqual([url, true])
  })
})

describe('an entry of the allowed hosts', () => {
  it.each(['*', 'localhost', '.corp.local', 'a.b.', 'redis:6379', '10.0.0.1', '::1', '[::1]:80'])(
    'may be %s',
    (entry) => expect(isHostEntry(entry)).toBe(true),
  )

  it.each([
    ...['', '.', ':', 'a..b', 'local host', 'http://localhost', 'localhost/x', 'a@b', '*.local'],
    ...['10.0.0.0/8', '10.0.0.256', 'a:', 'a:b', 'a:65536', '[::1', '[1]', '::1%lo', 'a?', 'a#'],
  ])('is not %j', (entry) => expect(isHostEntry(entry)).toBe(false))
})
