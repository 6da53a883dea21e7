import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../src/program'

describe('types', () => {
  let folder: string
  let server: Server
  let out: string[]
  let err: string[]
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sheaf-types-'))
    const files = new Map([
      ['/api/docs/doc%2F1/types.ts', 'export interface SheafDocument {}\n'],
      ['/api/docs/doc%2F1/types.py', 'import typing as _t\n'],
    ])
    server = createServer(({ url = '' }, response) => {
      const text = files.get(url)
      response.writeHead(text === undefined ? 404 : 200).end(text ?? '{"error":"not found"}')
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  })
  afterEach(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
    await rm(folder, { recursive: true })
  })

  async function types(...args: string[]): Promise<number> {
    out = []
    err = []
    const { port } = server.address() as AddressInfo
    return runCli(['types', ...args], {
      env: { SHEAF_URL: `http://127.0.0.1:${port}`, SHEAF_API_KEY: 'alice' },
      cwd: folder,
      terminal: { out: (text) => out.push(text), err: (text) => err.push(text) },
    })
  }

  it('prints the types of a document for TypeScript or Python', async () => {
    expect(await types('doc/1')).toBe(0)
    expect(await types('doc/1').then(() => out)).toEqual(['export interface SheafDocument {}'])
    expect(await types('doc/1', '--python').then(() => out)).toEqual(['import typing as _t'])
  })

  it('accepts a file of current types, also with other line ends, and prints nothing', async () => {
    await writeFile(join(folder, 'now.ts'), 'export interface SheafDocument {}\r\n')
    expect(await types('doc/1', '--check', 'now.ts')).toBe(0)
    expect([out, err]).toEqual([[], []])
  })

  it('tells what responded instead of Sheaf, and sends the key nowhere else', async () => {
    const seen: string[] = []
    const other = createServer(({ url = '' }, response) => {
      seen.push(url)
      response.end('<html>')
    })
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
    const { port } = other.address() as AddressInfo
    server.removeAllListeners('request')
    server.on('request', (_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${port}/elsewhere` }).end(),
    )
    expect(await types('doc/1')).toBe(1)
    expect(err.join()).toMatch(/^no response from http:\S+: unexpected redirect$/)
    expect(seen).toEqual([])
    other.close()
    server.removeAllListeners('request')
    server.on('request', (_, response) => response.writeHead(404).end('<html>'))
    expect(await types('doc/1')).toBe(1)
    expect(err.join()).toBe('unexpected response with status 404: is the URL that of Sheaf?')
  })

  it('fails for a file that is outdated or missing, and for an unknown document', async () => {
    await writeFile(join(folder, 'old.ts'), 'export interface SheafDocument { Old: {} }\n')
    expect(await types('doc/1', '--check', 'old.ts')).toBe(1)
    expect(err.join()).toContain('old.ts is outdated')
    expect(await types('doc/1', '--check', 'none.ts')).toBe(1)
    expect(err.join()).toContain('none.ts')
    expect(await types('doc/2')).toBe(1)
    expect(err.join()).toContain('not found')
  })
})
