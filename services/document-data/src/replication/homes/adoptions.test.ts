import { AppError } from '@sheaf/kit/errors'
import { createLogger } from '@sheaf/kit/logger'
import {
  Pin,
  type ListHomeDocumentsRequest,
  type PinHomeDocumentsRequest,
} from '@sheaf/protos/sheaf/directory/v1/homes'
import { eventually } from '@sheaf/testkit/eventually'
import type { DocumentStore } from '../../store/documents/document-store'
import { Adoptions } from './adoptions'

const refused = (reason: string) => new AppError('unavailable', reason, 'retry later')

/** Pinned documents of instances, by their ids, and what an instance does about them. */
class World {
  /** Why a document cannot be adopted. */
  readonly faults = new Map<string, string>()
  /** Attempts to adopt a document, in order. */
  readonly tried: string[] = []
  readonly pins: PinHomeDocumentsRequest[] = []
  /** Documents that an operator has released. */
  readonly local = new Set<string>()
  /** Called when an adoption begins. */
  adopting = () => {}
  /** Number of looks at the own documents. */
  looks = 0

  constructor(
    private readonly pinned: Readonly<Record<string, Set<string>>>,
    /** Documents that are stored outside of the disks of instances. */
    private readonly stored: readonly string[] = [],
  ) {}

  start(): Adoptions {
    const local = {
      adopt: (docId: string) => {
        this.tried.push(docId)
        this.adopting()
        const fault = this.faults.get(docId)
        return fault === undefined ? Promise.resolve() : Promise.reject(refused(fault))
      },
      release: (_: string, pin: () => Promise<void>) => pin(),
      removeDeleted: () => Promise.resolve(),
      listStored: (docIds: readonly string[]) =>
        Promise.resolve(docIds.filter((docId) => this.stored.includes(docId))),
    }
    const documents = { shared: { replicator: { local } } } as unknown as DocumentStore
    const homes = {
      listHomeDocuments: ({ home, afterId, pin: wanted }: ListHomeDocumentsRequest) => {
        if (home === 'own' && afterId === 0) this.looks++
        const pinOf = (docId: string) => (this.local.has(docId) ? Pin.LOCAL : Pin.WAITING)
        const found = [...(this.pinned[home] ?? [])]
          .map((docId) => ({ id: Number(docId), docId, published: true, pin: pinOf(docId) }))
          .filter(({ id, pin }) => id > afterId && (wanted === undefined || wanted === pin))
        return Promise.resolve({ documents: found.slice(0, 2) })
      },
      pinHomeDocuments: (request: PinHomeDocumentsRequest) => {
        this.pins.push(request)
        for (const docId of request.docIds)
          if (request.pin === Pin.LOCAL) this.local.add(docId)
          else this.pinned[request.home]?.delete(docId)
        return Promise.resolve({ docIds: request.docIds })
      },
    }
    return new Adoptions(documents, {
      instance: 'own',
      startId: 'process',
      lease: { isHeld: () => true },
      homes,
      systemTokens: { token: () => Promise.resolve('token') },
      log: createLogger('test'),
      lookMs: 1,
    })
  }
}

describe('an instance with documents on its disk alone', () => {
  it('adopts all that can be adopted, and lets directory assign each to others', async () => {
    const own = new Set(['1', '2', '3', '4'])
    const world = new World({ own })
    world.faults.set('2', 'DOCUMENT_DAMAGED')
    await using adoptions = world.start()
    adoptions.noteEnded([])
    await eventually(() => own.size === 1)
    expect([...own]).toEqual(['2'])
    expect(world.pins.map(({ docIds, startId, pin }) => [docIds, startId, pin])).toEqual(
      ['1', '3', '4'].map((docId) => [[docId], 'process', Pin.UNSPECIFIED]),
    )
  })

  it.each(['STORE_UNAVAILABLE', 'STORE_FULL', 'DATABASE_UNAVAILABLE'])(
    'tries only one of them at a time while none can be adopted: %s',
    async (reason) => {
      const own = new Set(['1', '2', '3', '4'])
      const world = new World({ own })
      for (const docId of own) world.faults.set(docId, reason)
      await using adoptions = world.start()
      adoptions.noteEnded([])
      await eventually(() => world.looks >= 3)
      expect(new Set(world.tried)).toEqual(new Set(['1']))
      world.faults.clear()
      await eventually(() => own.size === 0)
    },
  )

  it('does not adopt what was released, also since it has listed what is to be adopted', async () => {
    const own = new Set(['1', '2', '3', '4'])
    const world = new World({ own })
    world.local.add('4')
    await using adoptions = world.start()
    let releasing: Promise<void> | undefined
    world.adopting = () => {
      releasing ??= adoptions.release('2')
    }
    adoptions.noteEnded([])
    await eventually(() => own.size === 2)
    await releasing
    const { looks } = world
    await eventually(() => world.looks >= looks + 3)
    expect(world.tried).toEqual(['1', '3'])
    expect([...own]).toEqual(['2', '4'])
  })

  it('lets go of what it has stored and is pinned nevertheless', async () => {
    const own = new Set(['1', '2'])
    const world = new World({ own }, ['1'])
    for (const docId of own) world.local.add(docId)
    await using adoptions = world.start()
    adoptions.noteEnded([])
    await eventually(() => own.size === 1)
    expect([...own]).toEqual(['2'])
  })

  it('lets go of what another instance, whose lease has ended, has stored outside of its disk', async () => {
    const away = new Set(['1', '2', '3', '4', '5'])
    const world = new World({ away, live: new Set(['6']) }, ['2', '5', '6'])
    await using adoptions = world.start()
    adoptions.noteEnded(['away'])
    await eventually(() => away.size === 3)
    expect([...away]).toEqual(['1', '3', '4'])
    expect(world.tried).toEqual([])
    for (const { home, startId, pin } of world.pins)
      expect({ home, startId, pin }).toEqual({ home: 'away', startId: '', pin: Pin.UNSPECIFIED })
  })
})
