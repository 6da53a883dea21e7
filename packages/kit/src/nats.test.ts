import { splitNatsUrl } from './nats'

describe('splitNatsUrl', () => {
  it('takes user and password out of the address', () => {
    expect(splitNatsUrl('nats://me:p%40ss@127.0.0.1:4333')).toEqual({
      servers: ['127.0.0.1:4333'],
      user: 'me',
      pass: 'p@ss',
    })
  })

  it('takes several servers, and the usual port', () => {
    expect(splitNatsUrl('nats://a,b:4223')).toEqual({ servers: ['a:4222', 'b:4223'] })
  })
})
