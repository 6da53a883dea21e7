import * as fc from 'fast-check'
import { isAddress, isPublicAddress, networkOf } from './addresses'

/** IPv4 networks that are not public: first address, bits. */
const closed = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

const toNumber = (ip: string) => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
const toText = (ip: number) =>
  [24, 16, 8, 0].map((bits) => Math.floor(ip / 2 ** bits) % 256).join('.')
const toWords = (ip: number) =>
  `${Math.floor(ip / 65_536).toString(16)}:${(ip % 65_536).toString(16)}`

const closedIpv4 = fc
  .constantFrom(...closed)
  .chain(([first, bits]) => fc.nat(2 ** (32 - bits) - 1).map((offset) => toNumber(first) + offset))
const openIpv4 = fc
  .constantFrom(
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '172.32.0.1',
    '192.167.255.255',
    '9.255.255.255',
  )
  .map(toNumber)
const word = fc.nat(0xffff).map((number) => number.toString(16))

describe('an address', () => {
  it('of IPv4 in no closed network is public', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), (ip) => {
        const isClosed = closed.some(
          ([first, bits]) =>
            Math.floor(ip / 2 ** (32 - bits)) === Math.floor(toNumber(first) / 2 ** (32 - bits)),
        )
        fc.pre(!toText(ip).match(/^(168\.63\.129\.16$|192\.(31\.196|52\.193|175\.48)\.)/))
        expect(isPublicAddress(toText(ip))).toBe(!isClosed)
      }),
    )
  })

  it('of IPv4 in a closed network is not public, nor in any disguise of IPv6', () => {
    fc.assert(
      fc.property(closedIpv4, word, (ip, other) => {
        expect(isPublicAddress(toText(ip))).toBe(false)
        for (const disguise of [
          `::ffff:${toText(ip)}`,
          `::ffff:${toWords(ip)}`,
          `0:0:0:0:0:ffff:${toWords(ip)}`,
          `::${toText(ip)}`,
          `::ffff:0:${toWords(ip)}`,
          `64:ff9b::${toText(ip)}`,
          `64:ff9b:1:${other}::${toWords(ip)}`,
          `2002:${toWords(ip)}::${other}`,
          `2001:0:${toWords(ip)}::${other}`,
          `2001:0:1234:5678:${other}:${other}:${toWords(2 ** 32 - 1 - ip)}`,
          `2a00:1450:4001:${other}:0:5efe:${toWords(ip)}`,
          `2a00:1450:4001:${other}:200:5efe:${toWords(ip)}`,
        ])
          expect([disguise, isPublicAddress(disguise)]).toEqual([disguise, false])
      }),
    )
  })

  it('of IPv4 that is public is so inside one of IPv6 that hosts with IPv6 alone use', () => {
    fc.assert(
      fc.property(openIpv4, (ip) => {
        for (const text of [toText(ip), `::ffff:${toWords(ip)}`, `64:ff9b::${toWords(ip)}`])
          expect([text, isPublicAddress(text)]).toEqual([text, true])
      }),
    )
  })

  it('of IPv6 is public in 2000::/3 alone', () => {
    fc.assert(
      fc.property(fc.nat(0xffff), word, (first, other) => {
        const isOutside = first < 0x2000 || first > 0x3fff
        const text = `${first.toString(16)}:4860:4860::${other}`
        fc.pre(first !== 0x2002)
        expect(isPublicAddress(text)).toBe(!isOutside)
      }),
    )
  })

  it.each([
    '169.254.169.254',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    '255.255.255.255',
    '::',
    '::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fe80::1',
    'fe80::a9fe:a9fe',
    'fec0::1',
    'ff02::1',
    '100::1',
    '2001:db8::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '3fff::1',
    '5f00::1',
    '2606:4700:4700::1111%eth0',
    'fe80::1%1',
  ])('%s is not public', (ip) => {
    expect(isPublicAddress(ip)).toBe(false)
  })

  it.each([
    '',
    'localhost',
    '1',
    '2130706433',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '8.8.8',
    '08.8.8.8',
    '8.8.8.8.',
    ' 8.8.8.8',
    '[::1]',
    '1.2.3.4/8',
    '::g',
  ])('is not what resolvers do not write: %j', (text) => {
    expect([isAddress(text), isPublicAddress(text)]).toEqual([false, false])
  })

  it('never makes the check throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4Extended(), fc.ipV6()), (text) => {
        expect(typeof isPublicAddress(text)).toBe('boolean')
      }),
    )
  })
})

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['2001:db8:1:2::', '2001:db8:1:2::'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
