import { areasOf, type CpuProfile } from './profile-areas'

const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url },
  children,
})

const profile: CpuProfile = {
  nodes: [
    node(1, '(root)', '', [2, 3, 10]),
    node(2, '(idle)', ''),
    node(3, 'emit', 'node:events', [4, 6]),
    node(4, 'onData', 'file:///x/node_modules/@grpc/grpc-js/build/src/call.js', [5]),
    node(5, 'writeGeneric', 'node:internal/stream_base_commons'),
    node(6, 'write', '/x/services/document-data/dist/store/log/log.js', [7, 9]),
    node(7, 'statement', '/x/services/document-data/dist/store/sqlite/connections.js', [8]),
    node(8, 'run', ''),
    node(9, 'crc32', ''),
    node(10, '(garbage collector)', ''),
  ],
  samples: [2, 5, 8, 9, 10, 3, 8],
  timeDeltas: [9000, 1000, 2000, 500, 250, 125, 1000],
}

describe('areas of a profile', () => {
  it('are folders, packages and SQLite by who uses it, without time in which nothing ran', () => {
    expect(Object.fromEntries(areasOf(profile))).toEqual({
      '@grpc/grpc-js': 1,
      'SQLite, for store/log': 3,
      'store/log': 0.5,
      'garbage collection': 0.25,
      'Node.js': 0.125,
    })
  })
})
