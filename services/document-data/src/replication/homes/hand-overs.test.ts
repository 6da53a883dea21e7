import { createLogger } from '@sheaf/kit/logger'
import { Pin } from '@sheaf/protos/sheaf/directory/v1/homes'
import { eventually } from '@sheaf/testkit/eventually'
import type { DocumentStore } from '../../store/documents/document-store'
import { HandOvers, type HandOverParts } from './hand-overs'

it('an instance that is drained does not interrupt the use of documents that cannot be adopted', async () => {
  const left: string[] = []
  const replicator = {
    handOver: (docIds: readonly string[], assign: () => Promise<unknown>) => {
      left.push(...docIds)
      return assign()
    },
    listUnfinished: () => Promise.resolve([]),
  }
  const documents = { openDocuments: [], shared: { replicator } } as unknown as DocumentStore
  const listed = [
    { id: 1, docId: 'damaged', published: true, pin: Pin.WAITING },
    { id: 2, docId: 'sound', published: true, pin: Pin.WAITING },
    { id: 3, docId: 'replicated', published: true, pin: Pin.UNSPECIFIED },
  ]
  const homes = {
    listHomeDocuments: ({ afterId }: { afterId: number }) =>
      Promise.resolve({ documents: listed.filter(({ id }) => id > afterId) }),
    handOverHomeDocuments: () => Promise.resolve({ documents: [] }),
    assignHomeDocument: () => Promise.reject(new Error('nothing is to be continued')),
  } satisfies HandOverParts['homes']
  const adopt = (docId: string) =>
    docId === 'damaged' ? Promise.reject(new Error('damaged')) : Promise.resolve()
  await using handOvers = new HandOvers(documents, {
    instance: 'own',
    startId: 'process',
    homes,
    systemTokens: { token: () => Promise.resolve('token') },
    adoptions: { adopt },
    log: createLogger('test'),
  })
  handOvers.drain()
  await eventually(() => left.includes('replicated'))
  expect(left).toEqual(['sound', 'replicated'])
})
