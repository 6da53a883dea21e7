import { status as Status } from '@grpc/grpc-js'
import { grpcStatus } from './errors'

describe('the table of errors', () => {
  it('has the status numbers of gRPC, which it does not import', () => {
    const named = Object.keys(grpcStatus) as (keyof typeof grpcStatus)[]
    expect(grpcStatus).toEqual(Object.fromEntries(named.map((name) => [name, Status[name]])))
  })

  it('loads no module of gRPC, which would cost every worker 30 ms and 13 MB', () => {
    const load = (path: string) =>
      jest.isolateModules(() => {
        jest.doMock('@grpc/grpc-js', () => {
          throw new Error('grpc-js is loaded')
        })
        jest.requireActual(path)
      })
    expect(() => load('./errors')).not.toThrow()
    // The same check finds the import where there is one.
    expect(() => load('./rpc/wire-errors')).toThrow('grpc-js is loaded')
    jest.dontMock('@grpc/grpc-js')
  })
})
