import { status as Status } from '@grpc/grpc-js'
import { grpcStatus } from './errors'

describe('the table of errors', () => {
  it('has the status numbers of gRPC, which it does not import', () => {
    const named = Object.keys(grpcStatus) as (keyof typeof grpcStatus)[]
    expect(grpcStatus).toEqual(Object.fromEntries(named.map((name) => [name, Status[name]])))
  })
})
