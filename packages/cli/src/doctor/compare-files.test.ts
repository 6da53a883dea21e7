import { Pin, type HomeDocument } from '@sheaf/protos/sheaf/directory/v1/homes'
import { compareFiles } from './compare-files'

const known = (document: Partial<HomeDocument>) =>
  new Map([['doc', { id: 1, docId: 'doc', published: true, pin: Pin.UNSPECIFIED, ...document }]])

describe('a document without a file on the disk of its instance', () => {
  const find = (document: Partial<HomeDocument>, isReplicated: boolean) =>
    compareFiles(known(document), new Set(), isReplicated).map(({ level }) => level)

  it('is lost, unless it is replicated and not pinned to the instance', () => {
    expect(find({}, false)).toEqual(['error'])
    expect(find({}, true)).toEqual([])
    expect(find({ pin: Pin.WAITING }, true)).toEqual(['error'])
    expect(find({ pin: Pin.WAITING }, false)).toEqual(['error'])
  })

  it('is not missed while it is being made', () => {
    expect(find({ published: false }, false)).toEqual([])
  })
})

it('a file whose creation was interrupted is only noted', () => {
  const findings = compareFiles(known({ published: false }), new Set(['doc']), false)
  expect(findings).toMatchObject([{ level: 'note', docId: 'doc' }])
  expect(compareFiles(known({}), new Set(['doc']), false)).toEqual([])
})
