import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { eventually } from '@sheaf/testkit/eventually'
import { TestDirectory, type TestUser } from './test-directory'

/** A way to PostgreSQL that can be cut. */
class CuttableWay {
  private readonly sockets = new Set<Socket>()
  private server?: Server
  port = 0

  constructor(private readonly target: { host: string; port: number }) {}

  async open(): Promise<void> {
    const server = createServer((socket) => {
      const onward = connect(this.target)
      for (const [from, to] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        this.sockets.add(from)
        from.pipe(to)
        from.on('error', () => {}).on('close', () => to.destroy())
      }
    })
    this.server = server
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve))
    this.port = (server.address() as AddressInfo).port
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.server?.close(resolve))
    for (const socket of this.sockets) socket.destroy()
    this.sockets.clear()
    await closed
  }
}

describe('while PostgreSQL is away', () => {
  let directory: TestDirectory
  let way: CuttableWay
  let clients: TestDirectory['clients']
  let alice: TestUser
  beforeAll(async () => {
    directory = await TestDirectory.start()
    alice = await directory.addUser('alice')
    const url = new URL(directory.config.databaseUrl)
    way = new CuttableWay({ host: url.hostname, port: Number(url.port) })
    await way.open()
    url.host = `127.0.0.1:${way.port}`
    clients = await directory.startInstance({ databaseUrl: url.href })
  })
  afterAll(async () => {
    await directory[Symbol.asyncDispose]()
    await way.cut()
  })

  it('calls fail as unavailable, health says so, and all recovers by itself', async () => {
    const call = await directory.as(alice)
    const list = () => clients.orgs.listOrgs({ site: '' }, { ...call, deadline: Date.now() + 9000 })
    expect((await list()).orgs).toHaveLength(1)
    expect(await clients.channel.checkHealth('postgres')).toBe(true)

    await way.cut()
    await expect(list()).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'DATABASE_UNAVAILABLE',
    })
    await eventually(async () => !(await clients.channel.checkHealth('postgres')))
    expect(await clients.channel.checkHealth()).toBe(true)

    await way.open()
    await eventually(async () => clients.channel.checkHealth('postgres'))
    expect((await list()).orgs).toHaveLength(1)
  })

  it('a server that ends all connections is no more than a hiccup', async () => {
    await directory.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await eventually(async () => {
      const call = await directory.as(alice)
      expect((await clients.orgs.listOrgs({ site: '' }, call)).orgs).toHaveLength(1)
    })
  })
})
