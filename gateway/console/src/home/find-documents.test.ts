import type { DocumentSummary, Org, Workspace } from '@sheaf/client'
import {
  findDocuments,
  isShared,
  placeDocuments,
  recentDocuments,
  type PlacedDocument,
} from './find-documents'

const site = { name: 'Team', access: 'owners', owner: null } as Org
/** Documents by these names, each changed after the one before. */
function makeDocuments(...names: string[]): PlacedDocument[] {
  const docs = names.map(
    (name, index) =>
      ({ name, updatedAt: `2026-01-0${index + 1}T00:00:00.000Z` }) as DocumentSummary,
  )
  return placeDocuments(site, [{ name: 'Home', docs } as unknown as Workspace])
}
const namesOf = (found: PlacedDocument[]) => found.map(({ document }) => document.name)

it('finds documents by all words of a text, whatever their case and accents', () => {
  const documents = makeDocuments('Café budget 2026', 'Budget', 'cafe menu')
  expect(namesOf(findDocuments(documents, ' CAFÉ  Bud ', 9))).toEqual(['Café budget 2026'])
  expect(namesOf(findDocuments(documents, 'cafe', 9))).toEqual(['cafe menu', 'Café budget 2026'])
  expect(findDocuments(documents, 'none', 9)).toEqual([])
})

it('returns names that begin with the text first, then words that do, then the latest', () => {
  const documents = makeDocuments('Plans', 'Our plans', 'Airplanes', 'Seaplane', 'Planet')
  expect(namesOf(findDocuments(documents, 'plan', 4))).toEqual([
    'Planet',
    'Plans',
    'Our plans',
    'Seaplane',
  ])
})

it('lists the most recently changed documents', () => {
  expect(namesOf(recentDocuments(makeDocuments('a', 'b', 'c'), 2))).toEqual(['c', 'b'])
})

it('tells documents on personal sites of others', () => {
  const [ofTeam] = makeDocuments('a')
  if (!ofTeam) throw new Error('no document')
  const ofUser = (id: number) => ({ ...ofTeam, org: { ...site, owner: { id } } as Org })
  const all = [ofTeam, ofUser(1), ofUser(2)]
  expect(all.map((placed) => isShared(placed, 1))).toEqual([false, false, true])
})
