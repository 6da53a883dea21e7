import type { DocumentSummary, Org, Workspace } from '@sheaf/client'

/** A document with its place. */
export interface PlacedDocument {
  readonly org: Org
  readonly workspace: Workspace
  readonly document: DocumentSummary
}

/** The documents of a site. */
export function placeDocuments(org: Org, workspaces: readonly Workspace[]): PlacedDocument[] {
  return workspaces.flatMap((workspace) =>
    workspace.docs.map((document) => ({ org, workspace, document })),
  )
}

/** At most `count` documents, the most recently changed first. */
export function recentDocuments(
  documents: readonly PlacedDocument[],
  count: number,
): PlacedDocument[] {
  return documents.toSorted(byTime).slice(0, count)
}

/** Whether the document is on the personal site of somebody other than the user. */
export function isShared({ org }: PlacedDocument, userId: number): boolean {
  return org.owner !== null && org.owner.id !== userId
}

/**
 * At most `count` documents whose names contain all words of a text, whatever their case and accents: names that begin with the
 * text first, then names with a word that begins with it, then the most recently changed.
 */
export function findDocuments(
  documents: readonly PlacedDocument[],
  text: string,
  count: number,
): PlacedDocument[] {
  const wanted = fold(text)
  const words = wanted.split(/\s+/)
  return documents
    .map((found) => ({ found, name: fold(found.document.name) }))
    .filter(({ name }) => words.every((word) => name.includes(word)))
    .map(({ found, name }) => ({ found, rank: rankOf(name, wanted) }))
    .toSorted((a, b) => a.rank - b.rank || byTime(a.found, b.found))
    .slice(0, count)
    .map(({ found }) => found)
}

function rankOf(name: string, wanted: string): number {
  if (name.startsWith(wanted)) return 0
  return name.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(wanted)) ? 1 : 2
}

function byTime(a: PlacedDocument, b: PlacedDocument): number {
  return b.document.updatedAt.localeCompare(a.document.updatedAt)
}

/** Text for comparison: without accents, case and surrounding space. */
export function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim()
}
