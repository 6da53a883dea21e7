import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { LogDatabase } from '@sheaf/document-log/log-database'
import { createLogger } from '@sheaf/kit/logger'
import { createTestDatabase, testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { createTokenAuthority, type TokenAuthority } from '@sheaf/testkit/token-authority'
import type { Instance } from './replicated-instances'
import type { StandInDirectory } from './stand-in-directory'
import { TestClients } from './test-instance'

const main = join(__dirname, '../../dist/main.js')
const nextRelease = join(__dirname, 'next-release.cjs')

/** A process of an instance. */
export interface ReleaseProcess extends Pick<Instance, 'name' | 'clients'>, AsyncDisposable {}

/** Processes of several releases that share a log database and a store. */
export interface Releases extends AsyncDisposable {
  readonly authority: TokenAuthority
  /** Starts an instance, of the present release or of the next one; resolves when it has reported. */
  start(
    directory: StandInDirectory,
    name: string,
    release: 'present' | 'next',
  ): Promise<ReleaseProcess>
  /** Removes the disk of an instance. */
  loseDisk(name: string): Promise<void>
  /** Format and position of a document by its log. */
  headOf(docId: string): Promise<{ readonly format: number; readonly lsn: number } | undefined>
}

export async function openReleases(): Promise<Releases> {
  const folder = await tempDir()
  const database = await createTestDatabase()
  const authority = await createTokenAuthority()
  const log = new LogDatabase({ url: database.url, log: createLogger('test') })
  const dataOf = (name: string) => join(folder.path, name)
  return {
    authority,
    async start(directory, name, release) {
      const before = directory.reports.length
      const preload = release === 'next' ? ['--require', nextRelease] : []
      const child = spawn(process.execPath, [...preload, main], {
        env: {
          PATH: process.env['PATH'],
          SHEAF_INSTANCE_NAME: name,
          SHEAF_DOCUMENT_DATA_LISTEN: '127.0.0.1:0',
          SHEAF_DATA: dataOf(name),
          SHEAF_CACHE: dataOf('cache'),
          SHEAF_DIRECTORY_ADDRESS: directory.address,
          SHEAF_SERVICE_KEY: 'service-key-of-the-tests-of-releases',
          SHEAF_REPLICATED: 'true',
          SHEAF_LOG_DATABASE_URL: database.url,
          SHEAF_STORE_FOLDER: dataOf('store'),
          SHEAF_BALANCE_SECONDS: '0',
          NATS_URL: testEngines().natsUrl,
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const ended = once(child, 'exit')
      const found = () => directory.reports.slice(before).find((report) => report.name === name)
      await eventually(() => found() !== undefined || child.exitCode !== null)
      const clients = new TestClients(found()?.address ?? '', authority)
      return {
        name,
        clients,
        async [Symbol.asyncDispose]() {
          await clients[Symbol.asyncDispose]()
          child.kill('SIGKILL')
          await ended
        },
      }
    },
    loseDisk: (name) => rm(dataOf(name), { recursive: true }),
    async headOf(docId) {
      const tables = await log.tables()
      const heads = tables.selectFrom('head').select(['format', 'lsn'])
      return heads.where('doc', '=', docId).executeTakeFirst()
    },
    async [Symbol.asyncDispose]() {
      await log[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
