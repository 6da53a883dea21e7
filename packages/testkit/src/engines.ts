import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { connectHost, type HostRequests } from './host-requests'

/** The servers that all tests of a run share. */
export interface TestEngines {
  /** A PostgreSQL whose user may create databases; use `createTestDatabase` for a separate one. */
  readonly databaseUrl: string
  readonly natsUrl: string
}

/** An empty database that is dropped on disposal, despite open connections. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string
}

/** Returns the engines that jest's global set-up has started. Throws in a unit test, which has none. */
export function testEngines(): TestEngines {
  const { SHEAF_TEST_DATABASE_URL: databaseUrl, SHEAF_TEST_NATS_URL: natsUrl } = process.env
  if (!databaseUrl || !natsUrl) throw new Error('only service and system tests have engines')
  return { databaseUrl, natsUrl }
}

/** True in service and system tests, which have a host. */
export function hasTestHost(): boolean {
  return Boolean(process.env.SHEAF_TEST_HOST)
}

/** The host that jest's global set-up started beside the engines. Throws in a unit test, which has none. */
export function testHost(): HostRequests {
  const { SHEAF_TEST_HOST: socket } = process.env
  if (!socket) throw new Error('only service and system tests have a host')
  return connectHost(socket)
}

/** Makes a database for one test or one file of tests. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `sheaf_test_${randomBytes(8).toString('hex')}`
  await onServer(`create database ${name}`)
  const url = new URL(testEngines().databaseUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => onServer(`drop database if exists ${name} with (force)`),
  }
}

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: testEngines().databaseUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
