import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { createExpressClasses } from './express-classes'

it('requests and answers reach Express with the prototypes that it would give them', async () => {
  const app = express()
  const came: object[] = []
  const seen: object[] = []
  app.use((request, response) => {
    seen.push(...prototypesOf(request, response))
    response.json({ host: request.get('host'), ofThisApp: request.app === app })
  })
  const server = createServer(createExpressClasses(app), (request, response) => {
    came.push(...prototypesOf(request, response))
    app(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    expect(await answer.json()).toEqual({ host: `127.0.0.1:${port}`, ofThisApp: true })
    const same = [app.request, app.response].map((prototype, index) => [
      came[index] === prototype,
      seen[index] === prototype,
    ])
    expect(same.flat()).toEqual([true, true, true, true])
  } finally {
    server.close()
  }
})

const prototypesOf = (request: IncomingMessage, response: ServerResponse): object[] =>
  [request, response].map((message) => Object.getPrototypeOf(message) as object)
