import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { freePort } from '@sheaf/engines/free-port'
import {
  CreateDocumentResponse,
  DocumentsServiceClientImpl,
} from '@sheaf/protos/sheaf/document_data/v1/documents'
import { createAuthority, writeCertificate, type Authority } from '@sheaf/testkit/certificates'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import { ConfigError, EnvReader, type Env } from '../src/config'
import { openChannel, type ChannelOptions } from '../src/grpc/client'
import type { RunningGrpcServer } from '../src/grpc/server'
import { openTls, readTlsFiles, type TlsFiles } from '../src/tls'
import { alice, createDocument, startServer, untilMultiplexing } from './transport-pair'

/** The certificate that a server shows now. */
function shownBy({ port }: RunningGrpcServer, files: TlsFiles): Promise<string> {
  return new Promise((resolve, reject) => {
    const [key, cert, ca] = [files.key, files.cert, files.ca].map((path) => readFileSync(path))
    const socket: TLSSocket = connect(
      { host: '127.0.0.1', port, key, cert, ca, ALPNProtocols: ['h2'] },
      () => {
        resolve(socket.getPeerCertificate().fingerprint256)
        socket.destroy()
      },
    )
    socket.once('error', reject)
  })
}

describe('calls between processes with certificates', () => {
  let temp: TempDir
  let authority: Authority
  let files: TlsFiles
  let server: RunningGrpcServer
  let healthPort: number

  /** Files of another process. */
  const another = (folder: string, signer: Authority, names?: string[]): Promise<TlsFiles> => {
    mkdirSync(join(temp.path, folder))
    return writeCertificate(join(temp.path, folder), signer, names)
  }
  const startWith = (tls: TlsFiles, healthListen?: string) =>
    startServer([createDocument(async () => CreateDocumentResponse.fromPartial({}))], {
      tls,
      healthListen,
    })
  const answers = async (options: Omit<ChannelOptions, 'address'>, address = server.address) => {
    await using channel = openChannel({ address, ...options })
    return await channel.checkHealth('', 3_000)
  }

  beforeAll(async () => {
    temp = await tempDir()
    authority = await createAuthority()
    files = await another('server', authority, ['localhost', '*.document-data.sheaf.svc'])
    healthPort = await freePort()
    server = await startWith(files, `127.0.0.1:${healthPort}`)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await temp[Symbol.asyncDispose]()
  })

  it('go through, one by one and over the stream', async () => {
    const tls = await another('client', authority)
    await using plain = openChannel({ address: server.address, tls })
    await using channel = openChannel({ address: server.address, tls, multiplexed: true })
    await untilMultiplexing(channel)
    for (const each of [plain, channel]) {
      const documents = new DocumentsServiceClientImpl(each)
      expect(
        await documents.createDocument({ docId: 'x', timezone: '', locale: '' }, alice),
      ).toBeDefined()
    }
    expect(await answers({ tls }, `localhost:${server.port}`)).toBe(true)
  })

  it('are refused without a certificate, and with one of another authority', async () => {
    expect(await answers({})).toBe(false)
    const stranger = await another('stranger', await createAuthority())
    expect(await answers({ tls: stranger })).toBe(false)
    // Also when it trusts the server, since the server does not trust it.
    const trusting = { ...stranger, ca: files.ca }
    expect(await answers({ tls: trusting })).toBe(false)
    expect(await answers({ tls: files })).toBe(true)
  })

  it('are not made to a server whose certificate names another host', async () => {
    await using other = await startWith(await another('other', authority, ['elsewhere']))
    expect(await answers({ tls: files }, `localhost:${other.port}`)).toBe(false)
    expect(await answers({ tls: files }, other.address)).toBe(true)
  })

  it('leave health open to probes, which have none, at an address of its own', async () => {
    expect(await answers({}, `127.0.0.1:${healthPort}`)).toBe(true)
    await using channel = openChannel({ address: `127.0.0.1:${healthPort}` })
    const documents = new DocumentsServiceClientImpl(channel)
    await expect(
      documents.createDocument({ docId: 'x', timezone: '', locale: '' }, alice),
    ).rejects.toThrow()
  })

  it('use a renewed certificate, and keep the old one while the files do not fit each other', async () => {
    const before = await shownBy(server, files)
    const folder = join(temp.path, 'server')
    const oldKey = readFileSync(files.key)
    const renewed = await writeCertificate(folder, authority, ['localhost'])
    const newKey = readFileSync(renewed.key)
    const client = await another('prober', authority)

    writeFileSync(files.key, oldKey)
    openTls(files).refresh()
    expect(await shownBy(server, client)).toBe(before)

    writeFileSync(files.key, newKey)
    openTls(files).refresh()
    expect(await shownBy(server, client)).not.toBe(before)
    expect(await answers({ tls: client })).toBe(true)
  })

  it('do not begin with files that cannot be used', async () => {
    const broken = await another('broken', authority)
    writeFileSync(broken.key, readFileSync(files.key))
    await expect(startWith(broken)).rejects.toThrow(ConfigError)
    await expect(startWith({ ...files, ca: join(temp.path, 'gone') })).rejects.toThrow(/gone/)
  })
})

describe('readTlsFiles', () => {
  const read = (env: Env) => {
    const reader = new EnvReader(env)
    return reader.done(readTlsFiles(reader))
  }

  it('takes all three names or none', () => {
    expect(read({})).toBeUndefined()
    const env = { SHEAF_TLS_CERT: 'a', SHEAF_TLS_KEY: 'b', SHEAF_TLS_CA: 'c' }
    expect(read(env)).toEqual({ cert: 'a', key: 'b', ca: 'c' })
    expect(() => read({ SHEAF_TLS_KEY: 'b' })).toThrow(
      'SHEAF_TLS_CERT is not set\nSHEAF_TLS_CA is not set',
    )
  })
})
