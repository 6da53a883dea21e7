import { connect } from '@nats-io/transport-node'
import { createTestDatabase, testEngines } from '@sheaf/testkit/engines'
import { Client } from 'pg'

const connected = async (connectionString: string) => {
  const client = new Client({ connectionString })
  await client.connect()
  return client
}

describe('createTestDatabase', () => {
  it('makes empty databases that know nothing of each other', async () => {
    await using one = await createTestDatabase()
    await using other = await createTestDatabase()
    for (const { url } of [one, other]) {
      const client = await connected(url)
      await client.query('create table notes (id int)')
      await client.end()
    }
    expect(one.url).not.toBe(other.url)
  })

  it('drops the database at the end, even while somebody is connected', async () => {
    const database = await createTestDatabase()
    const client = await connected(database.url)
    client.on('error', () => {})
    await database[Symbol.asyncDispose]()
    await expect(client.query('select 1')).rejects.toThrow()
    await expect(connected(database.url)).rejects.toThrow('does not exist')
  })
})

describe('testEngines', () => {
  it('names a NATS that lets us in', async () => {
    const url = new URL(testEngines().natsUrl)
    const { host: servers, username: user, password: pass } = url
    const connection = await connect({ servers, user, pass })
    expect(connection.info?.jetstream).toBe(true)
    await connection.close()
  })
})
