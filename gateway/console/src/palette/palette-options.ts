import type { DocumentTab } from '../document/document-tabs'
import { fold, type PlacedDocument } from '../home/find-documents'
import { siteName } from '../sites/site-name'

/** An entry of the palette, with the path that it opens. */
export interface PaletteOption {
  readonly key: string
  readonly label: string
  readonly value: string
}

/** The document whose page is open, with what can be opened in it. */
export interface OpenedDocument {
  readonly docId: string
  readonly name: string
  readonly tables: readonly string[]
  /** Its pages that the user may open. */
  readonly tabs: readonly DocumentTab[]
}

const otherPages: readonly PaletteOption[] = [
  { key: 'home', label: 'Go to Home', value: '/' },
  { key: 'profile', label: 'Go to Profile settings', value: '/profile' },
  { key: 'reference', label: 'Go to the API reference', value: '/api' },
]

/** Tables of the open document. */
export function tableOptions({ docId, name, tables }: OpenedDocument): PaletteOption[] {
  return tables.map((table) => ({
    key: `table ${table}`,
    label: `${table} · table of ${name}`,
    value: `/docs/${docId}/tables/${encodeURIComponent(table)}`,
  }))
}

/** Pages of the open document, if any, and all others. */
export function pageOptions(opened: OpenedDocument | undefined): PaletteOption[] {
  if (!opened) return [...otherPages]
  const ofDocument = opened.tabs.map(({ path, name }) => ({
    key: `page ${path}`,
    label: `${name} · ${opened.name}`,
    value: `/docs/${opened.docId}/${path}`,
  }))
  return [...ofDocument, ...otherPages]
}

/** Documents, with their places. */
export function placedOptions(documents: readonly PlacedDocument[]): PaletteOption[] {
  return documents.map(({ org, workspace, document }) => ({
    key: `document ${document.id}`,
    label: `${document.name} · ${siteName(org)} / ${workspace.name}`,
    value: `/docs/${document.id}`,
  }))
}

/** Options with all words of a text in their label. */
export function matchOptions(options: readonly PaletteOption[], text: string): PaletteOption[] {
  const words = fold(text).split(/\s+/)
  return options.filter(({ label }) => {
    const folded = fold(label)
    return words.every((word) => folded.includes(word))
  })
}
