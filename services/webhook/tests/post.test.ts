import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { startReceiver } from '@sheaf/testkit/webhook-receiver'
import { Poster, type PosterOptions } from '../src/targets/post'
import type { Address } from '../src/targets/resolve'

const body = Buffer.from('[{"id":1}]')
const v4 = (address: string): Address => ({ address, family: 4 })
const v6 = (address: string): Address => ({ address, family: 6 })

/** A server of raw connections on loopback. */
async function listen(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  return opened(server, sockets)
}

async function listenHttp(listener: RequestListener) {
  const sockets = new Set<Socket>()
  const server = createHttpServer(listener)
  server.on('connection', (socket) => sockets.add(socket))
  return opened(server, sockets)
}

async function opened(server: Server, sockets: ReadonlySet<Socket>) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    sockets,
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

const post = async (
  url: string,
  options: Partial<PosterOptions> & { headers?: Record<string, string> } = {},
) => {
  const { headers = {}, ...others } = options
  using poster = new Poster({ allowedHosts: ['127.0.0.1'], ...others })
  return poster.post({ url, headers, body })
}

describe('a post', () => {
  it('brings bytes and headers, and the first bytes of the answer back', async () => {
    await using receiver = await startReceiver({
      answer: () => ({ status: 201, body: `é${'x'.repeat(5_000)}` }),
    })
    const outcome = await post(`${receiver.url}/a/b?c=d#e`, { headers: { authorization: 'Key ä' } })
    expect(outcome).toMatchObject({ error: null, httpStatus: 201 })
    expect(outcome.excerpt).toBe(`é${'x'.repeat(1_023)}`)
    expect(receiver.deliveries).toMatchObject([
      {
        path: '/a/b?c=d',
        body: body.toString(),
        headers: { authorization: 'Key ä', host: `127.0.0.1:${receiver.port}` },
      },
    ])
  })

  it('finds a host that only the machine itself knows', async () => {
    await using receiver = await startReceiver()
    const url = `http://localhost:${receiver.port}/`
    expect(await post(url, { allowedHosts: ['localhost'] })).toMatchObject({ error: null })
    expect(receiver.deliveries[0]?.headers.host).toBe(`localhost:${receiver.port}`)
  })

  it('cuts the answer between characters', async () => {
    for (const [text, cut] of [
      [`${'x'.repeat(1_023)}🐑`, 'x'.repeat(1_023)],
      [`${'x'.repeat(1_022)}🐑`, `${'x'.repeat(1_022)}🐑`],
      ['字'.repeat(3_000), '字'.repeat(1_024)],
    ]) {
      await using receiver = await startReceiver({ answer: () => ({ body: text }) })
      expect((await post(receiver.url)).excerpt).toBe(cut)
    }
  })

  it('succeeds with 2xx alone, and follows no redirect wherever it leads', async () => {
    for (const status of [300, 301, 302, 303, 307, 308, 400, 404, 429, 500, 503]) {
      await using receiver = await startReceiver({
        answer: () => ({ status, headers: { location: 'http://169.254.169.254/latest' } }),
      })
      const outcome = await post(receiver.url)
      expect(outcome).toMatchObject({ httpStatus: status })
      expect(outcome.error).toMatch(`HTTP status ${status}`)
      expect(receiver.deliveries).toHaveLength(1)
    }
    for (const status of [200, 202, 204, 299]) {
      await using receiver = await startReceiver({ answer: () => ({ status }) })
      expect(await post(receiver.url)).toMatchObject({ error: null, httpStatus: status })
    }
  })

  it('uses a connection again, and does not fail when its receiver has just closed it', async () => {
    await using receiver = await listenHttp((request, response) => {
      request.resume()
      response.end('ok')
    })
    using poster = new Poster({ allowedHosts: ['127.0.0.1'] })
    const request = { url: receiver.url, headers: {}, body }
    for (let sent = 0; sent < 3; sent++) expect((await poster.post(request)).error).toBeNull()
    expect(receiver.sockets.size).toBe(1)

    await using rude = await listen((socket) => {
      let requests = 0
      socket.on('data', () => {
        if (++requests > 1) socket.destroy()
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
      })
    })
    for (let sent = 0; sent < 3; sent++)
      expect((await poster.post({ ...request, url: rude.url })).error).toBeNull()
    expect(rude.sockets.size).toBe(3)
  })
})

describe('a post is refused before anything is sent', () => {
  const never = () => Promise.reject(new Error('must not be asked'))

  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://017700000001/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://127.1/',
    'https://0/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1%25eth0]/',
    'https://[fd00:ec2::254]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0xa9fea9fe/',
    'https://10.0.0.1/',
    'https://192.168.1.1/',
    'https://224.0.0.1/',
    'https://localhost/',
    'https://metadata.google.internal/',
    'https://example.com@127.0.0.1/',
    'https://user:password@example.com/',
    'https://127.0.0.1\\@example.com/',
    'https://127.0.0.1#@example.com/',
    'http://example.com/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_FLUSHALL',
    'not a url',
  ])('to %s', async (url) => {
    const outcome = await post(url, { allowedHosts: [], resolve: never })
    expect(outcome).toMatchObject({ error: 'the URL is not allowed', isRefused: true })
  })

  it.each([
    ['loopback', [v4('127.0.0.1')]],
    ['a private one', [v4('10.1.2.3')]],
    ['metadata', [v4('169.254.169.254')]],
    ['a mapped one', [v6('::ffff:127.0.0.1')]],
    ['one of NAT64', [v6('64:ff9b::7f00:1')]],
    ['one with a zone', [v6('fe80::1%eth0')]],
    ['one that is private behind one that is public', [v4('93.184.216.34'), v4('127.0.0.1')]],
    ['IPv6 that is private beside IPv4 that is public', [v4('93.184.216.34'), v6('::1')]],
  ])('when DNS answers %s', async (_, addresses) => {
    const outcome = await post('https://hook.example/', {
      allowedHosts: [],
      resolve: () => Promise.resolve(addresses),
    })
    expect(outcome).toMatchObject({
      error: 'the host resolves to a non-public address',
      isRefused: true,
      httpStatus: null,
    })
  })

  it('when a name of a public host answers private, though another host is allowed', async () => {
    const outcome = await post('https://hook.example/', {
      allowedHosts: ['other.example', 'example'],
      resolve: () => Promise.resolve([v4('127.0.0.1')]),
    })
    // `example` is above hook.example, and so allows it: the connection itself is what fails.
    expect(outcome.isRefused).toBeUndefined()
    const strict = await post('https://hook.example/', {
      allowedHosts: ['other.example'],
      resolve: () => Promise.resolve([v4('127.0.0.1')]),
    })
    expect(strict.isRefused).toBe(true)
  })
})

describe('a post goes to just the address that was checked', () => {
  it('when DNS answers otherwise the second time', async () => {
    await using receiver = await startReceiver()
    await using inner = await startReceiver()
    let asked = 0
    const resolve = () => Promise.resolve([v4(asked++ === 0 ? '127.0.0.1' : '127.0.0.2')])
    const url = `http://rebinding.example:${receiver.port}/`
    const outcome = await post(url, { allowedHosts: ['rebinding.example'], resolve })
    expect([asked, outcome.error]).toEqual([1, null])
    expect(receiver.deliveries[0]?.headers.host).toBe(`rebinding.example:${receiver.port}`)
    expect(inner.deliveries).toEqual([])
  })

  it('whatever proxies the environment names', async () => {
    await using receiver = await startReceiver()
    await using proxy = await startReceiver()
    const before = { ...process.env }
    Object.assign(process.env, {
      HTTP_PROXY: proxy.url,
      http_proxy: proxy.url,
      ALL_PROXY: proxy.url,
    })
    try {
      expect((await post(receiver.url)).error).toBeNull()
    } finally {
      process.env = before
    }
    expect([receiver.deliveries.length, proxy.deliveries.length]).toEqual([1, 0])
  })
})

describe('a post ends in time, and costs little', () => {
  const quick = { timeoutMs: 300 }
  const late = 'no complete response within 0.3 s'

  it('when nobody answers', async () => {
    await using server = await listen(() => {})
    expect(await post(server.url, quick)).toMatchObject({ error: late, httpStatus: null })
  })

  it('when DNS does not answer', async () => {
    const resolve = () => new Promise<never>(() => {})
    expect((await post('https://hook.example/', { ...quick, resolve })).error).toBe(late)
  })

  it('when headers come drop by drop', async () => {
    await using server = await listen((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('a: b\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    expect((await post(server.url, quick)).error).toBe(late)
  })

  it('when interim answers never end', async () => {
    await using server = await listen((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    expect((await post(server.url, quick)).error).toBe(late)
  })

  it('when the body comes drop by drop', async () => {
    await using server = await listen((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')
      const timer = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    expect((await post(server.url, quick)).error).toBe(late)
  })

  it('when the answer has no end: the rest is left, and the connection closed', async () => {
    let written = 0
    await using server = await listenHttp((request, response) => {
      request.resume()
      response.writeHead(200)
      const write = () => {
        while (!response.destroyed && response.write('y'.repeat(16_384))) written += 16_384
        written += 16_384
      }
      response.on('drain', write)
      write()
    })
    const outcome = await post(server.url)
    expect(outcome).toMatchObject({ error: null, httpStatus: 200, excerpt: 'y'.repeat(1_024) })
    const [socket] = server.sockets
    await new Promise((resolve) => (socket?.destroyed ? resolve(0) : socket?.on('close', resolve)))
    expect(written).toBeGreaterThan(65_536)
  })

  it.each([
    ['is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 'the response is not valid HTTP'],
    [
      'is a lie about its length',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc',
      'connection reset',
    ],
    ['breaks off', 'HTTP/1.1 200 OK\r\nConte', 'connection reset'],
    ['has headers without end', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(50_000)}`, 'are too long'],
    [
      'switches protocols',
      'HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
      'not valid HTTP',
    ],
  ])('when the answer %s', async (_, answer, error) => {
    await using server = await listen((socket) => {
      socket.once('data', () => socket.end(answer))
    })
    const outcome = await post(server.url)
    expect(outcome.error).toMatch(error)
    expect(outcome.httpStatus).toBeNull()
  })

  it('when there is no TLS where it should be, or nobody at all', async () => {
    await using server = await listen((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    })
    const tls = await post(server.url.replace('http:', 'https:'))
    expect(tls.error).toMatch(/^TLS handshake failed/)
    expect((await post('http://127.0.0.1:1/')).error).toBe('connection refused (ECONNREFUSED)')
    const unknown = await post('https://nobody.example/', {
      resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
    })
    expect(unknown.error).toBe('unknown host (ENOTFOUND)')
  })

  it('when a header cannot be sent, without a second header or request being smuggled in', async () => {
    await using receiver = await startReceiver()
    for (const authorization of ['a\r\nx-smuggled: 1', 'a\n\nPOST / HTTP/1.1', 'a\0b', '字']) {
      const outcome = await post(receiver.url, { headers: { authorization } })
      expect(outcome.error).toMatch('authorization is not a valid header value')
    }
    expect(receiver.deliveries).toEqual([])
  })

  it('when the process stops: then it rejects', async () => {
    await using server = await listen(() => {})
    using poster = new Poster({ allowedHosts: ['127.0.0.1'] })
    const stop = new AbortController()
    const posted = poster.post({ url: server.url, headers: {}, body }, stop.signal)
    stop.abort()
    await expect(posted).rejects.toThrow()
    await expect(poster.post({ url: server.url, headers: {}, body }, stop.signal)).rejects.toThrow()
  })
})
