import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { runCli } from '../src/program'
import { startListener } from '../src/webhooks/listener'

const secret = `whsec_${randomBytes(32).toString('base64')}`
const body = '[{"id":1,"Name":"Zoë"}]'

function openTerminal() {
  const lines: string[] = []
  return {
    lines,
    terminal: { out: (text: string) => lines.push(text), err: (text: string) => lines.push(text) },
  }
}

async function deliver(url: string, key: string, id = 'msg_1') {
  const now = new Date()
  const headers = {
    'content-type': 'application/json',
    'sheaf-event': 'add',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(key).sign(id, now, body),
  }
  return (await fetch(`${url}any/path`, { method: 'POST', headers, body })).status
}

describe('webhooks listen', () => {
  it('prints deliveries and says whether their signatures are right', async () => {
    const { lines, terminal } = openTerminal()
    await using listener = await startListener({ port: 0, secret }, terminal)
    expect(await deliver(listener.url, secret)).toBe(204)
    expect(lines[0]).toMatch(/POST \/any\/path {2}1 row\n {2}signature: valid\n/)
    expect(lines[0]).toMatch('  sheaf-event: add\n')
    expect(lines[0]).toMatch('  {"id":1,"Name":"Zoë"}\n')
    const other = `whsec_${randomBytes(32).toString('base64')}`
    expect(await deliver(listener.url, other, 'msg_2')).toBe(401)
    expect(lines[1]).toMatch('signature: INVALID: No matching signature found')
    expect(await deliver(listener.url, secret)).toBe(204)
    expect(lines[2]).toMatch('1 row, repeated')
  })

  it('takes anything without a secret, and says that it checks nothing', async () => {
    const { lines, terminal } = openTerminal()
    await using listener = await startListener({ port: 0 }, terminal)
    expect((await fetch(listener.url, { method: 'POST', body: 'hello' })).status).toBe(204)
    expect(lines[0]).toMatch('signature: not verified')
    expect(lines[0]).toMatch('not a JSON array')
  })

  it('says so when the port or the secret cannot be used', async () => {
    const { lines, terminal } = openTerminal()
    await using listener = await startListener({ port: 0 }, terminal)
    const { port } = new URL(listener.url)
    const run = (...args: string[]) =>
      runCli(['webhooks', 'listen', ...args], { env: {}, cwd: '/', terminal })
    expect(await run(port)).toBe(1)
    expect(await run('nope')).toBe(2)
    expect(await run('70000')).toBe(2)
    expect(await run('0', '--secret', 'abc')).toBe(2)
    expect(lines).toEqual([
      `port ${port} is in use`,
      'port must be an integer from 0 to 65535: nope',
      'port must be an integer from 0 to 65535: 70000',
      '--secret must be whsec_ followed by base64',
    ])
  })
})
