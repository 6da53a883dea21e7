import type { IncomingMessage } from 'node:http'
import { clientAddress, networkOf } from './client-address'

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
    ['no address', 'no address'],
  ])('of %j is %j', (address, network) => expect(networkOf(address)).toBe(network))
})

describe('the address of a client', () => {
  const request = (forwarded?: string) =>
    ({
      socket: { remoteAddress: '10.0.0.1' },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    }) as unknown as IncomingMessage

  it.each([
    ['is that of its connection when no proxy is trusted', 0, '192.0.2.7', '10.0.0.1'],
    ['is what the only proxy has added', 1, 'forged, 192.0.2.7', '192.0.2.7'],
    ['is what the first of two proxies has added', 2, 'forged, 192.0.2.7, 10.0.0.9', '192.0.2.7'],
    ['is that of its connection when a proxy has added nothing', 1, undefined, '10.0.0.1'],
    ['is that of its connection when there are too few entries', 3, '192.0.2.7', '10.0.0.1'],
  ])('%s', (_, proxies, forwarded, address) =>
    expect(clientAddress(request(forwarded), proxies)).toBe(address),
  )
})
