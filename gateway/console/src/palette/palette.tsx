import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { useMatch, useNavigate } from 'react-router'
import { documentQuery, tablesQuery } from '../api/resources'
import { PickList } from '../cells/editing/pick-list'
import { Button } from '../components/button'
import { Dialog } from '../components/overlays/dialog'
import { Icon } from '../components/icon'
import { leavePage } from '../components/use-leave-guard'
import { tabsOf } from '../document/document-tabs'
import { findDocuments, recentDocuments } from '../home/find-documents'
import { MAX_SITES, useDocuments } from '../home/use-documents'
import {
  matchOptions,
  pageOptions,
  placedOptions,
  tableOptions,
  type OpenedDocument,
} from './palette-options'

/** Documents that are listed at once. */
const MAX_DOCUMENTS = 20
const none: ReadonlySet<string> = new Set()

/** A button, and Ctrl+K, for a dialog that finds documents, tables of the open document, and pages. */
export function Palette(): ReactNode {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      const isShortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
      if (!isShortcut || event.shiftKey || event.altKey || document.querySelector('dialog[open]'))
        return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', open)
    return () => removeEventListener('keydown', open)
  }, [])
  return (
    <>
      <Button
        kind="quiet"
        title="Go to a document, table or page (Ctrl+K)"
        onClick={() => setOpen(true)}
      >
        <Icon name="search" />
        <span className="narrow-hidden">Go to…</span>
      </Button>
      {isOpen && <PaletteDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function PaletteDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [text, setText] = useState('')
  const navigate = useNavigate()
  const opened = useOpenedDocument()
  const { documents, isLoading, error, isPartial } = useDocuments()
  const isEmpty = text.trim() === ''
  const found = isEmpty
    ? recentDocuments(documents, MAX_DOCUMENTS)
    : findDocuments(documents, text, MAX_DOCUMENTS)
  const options = [
    ...matchOptions(opened ? tableOptions(opened) : [], text),
    ...placedOptions(found),
    ...matchOptions(pageOptions(opened), text),
  ]
  return (
    <Dialog title="Go to a document, table or page" onClose={onClose}>
      <PickList
        label="Find a document, table or page"
        search={text}
        onSearch={setText}
        options={options}
        picked={none}
        isLoading={isLoading}
        error={error}
        note={isPartial ? partialNote(options.length > 0) : undefined}
        onPick={({ value }) => {
          onClose()
          leavePage(() => void navigate(String(value)))
        }}
        onDone={onClose}
      />
    </Dialog>
  )
}

const partialNote = (hasOptions: boolean): string =>
  `${hasOptions ? '' : 'No matches. '}Only documents of your first ${MAX_SITES} sites are found.`

/** The document whose page is open. */
function useOpenedDocument(): OpenedDocument | undefined {
  const docId = useMatch('/docs/:docId/*')?.params.docId
  const isOpen = docId !== undefined
  const description = useQuery({ ...documentQuery(docId ?? ''), enabled: isOpen })
  const tables = useQuery({ ...tablesQuery(docId ?? ''), enabled: isOpen })
  if (docId === undefined || !description.data) return undefined
  const ids = (tables.data ?? []).map(({ id }) => id)
  return { docId, name: description.data.name, tables: ids, tabs: tabsOf(description.data) }
}
