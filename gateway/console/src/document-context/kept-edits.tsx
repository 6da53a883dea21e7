import {
  createContext,
  use,
  useEffect,
  useLayoutEffect,
  useState,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
} from 'react'

/** What is edited in the page of a table. */
class Edits {
  private readonly byName = new Map<string, { readonly tableId: string; readonly value: unknown }>()
  private isRenaming = false

  /** @param isRenaming true while the page is replaced, because someone else has renamed the table */
  setRenaming(isRenaming: boolean): void {
    this.isRenaming = isRenaming
  }

  /** Returns what was edited under another id of the table. */
  find(name: string, tableId: string): unknown {
    const kept = this.byName.get(name)
    return kept?.tableId === tableId ? undefined : kept?.value
  }

  /** Keeps what is edited. Returns a function that forgets it, unless the page is replaced. */
  keep(name: string, tableId: string, value: unknown): () => void {
    this.byName.set(name, { tableId, value })
    return () => {
      if (!this.isRenaming) this.byName.delete(name)
    }
  }
}

const EditsContext = createContext(new Edits())

interface KeptEditsProps {
  readonly isRenaming: boolean
  readonly children: ReactNode
}

/** Keeps what is edited in the page of a table while that is replaced by the page at the new address of the table. */
export function KeptEdits({ isRenaming, children }: KeptEditsProps): ReactNode {
  const [edits] = useState(() => new Edits())
  // Before the effects of the page that is removed end.
  useLayoutEffect(() => edits.setRenaming(isRenaming), [edits, isRenaming])
  return <EditsContext value={edits}>{children}</EditsContext>
}

/** State of the page of a table, undefined at first, which begins as it was before the table was renamed. */
export function useKeptState<Value>(
  name: string,
  tableId: string,
): readonly [Value | undefined, Dispatch<SetStateAction<Value | undefined>>] {
  const edits = use(EditsContext)
  const [value, setValue] = useState(() => edits.find(name, tableId) as Value | undefined)
  useEffect(
    () => (value === undefined ? undefined : edits.keep(name, tableId, value)),
    [edits, name, tableId, value],
  )
  return [value, setValue]
}
