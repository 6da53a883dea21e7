import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react'
import { columnsQuery, tablesQuery } from '../api/resources'
import { openEditor, type CodeEditor } from './code-editor'
import type { FormulaFunction, FormulaNames } from './completions'
import type { Problem } from './formula-check'
import functions from './functions.json'

/** Properties of FormulaEditor. */
export interface FormulaEditorProps {
  readonly docId: string
  readonly tableId: string
  readonly label: string
  /** The formula to begin with. It is not read again: keys may be typed before a change has come back. */
  readonly formula: string
  readonly isReadOnly?: boolean
  /** True to take the focus at once. */
  readonly isFocused?: boolean
  readonly problems?: readonly Problem[]
  readonly onChange?: (formula: string) => void
}

/** How long names of tables and columns are taken as up to date, in milliseconds. */
const FRESH_MS = 30_000

/** An editor of a formula with completion; problems are marked in it. */
export function FormulaEditor(props: FormulaEditorProps): ReactNode {
  const { label, formula, isReadOnly = false, isFocused = false, problems } = props
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditor>(null)
  const names = useFormulaNames(props)
  const handleChange = useEffectEvent((text: string) => props.onChange?.(text))
  const readNames = useEffectEvent(() => names.current)
  const readFormula = useEffectEvent(() => formula)
  useEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const opened = openEditor(root, {
      label,
      formula: readFormula(),
      isReadOnly,
      names: () => readNames(),
      onChange: (text) => handleChange(text),
    })
    editor.current = opened
    if (isFocused) opened.focus()
    return () => opened.destroy()
  }, [label, isReadOnly, isFocused])
  useEffect(() => editor.current?.setProblems(problems ?? []), [problems])
  return <div className="formula-editor" ref={host} />
}

/** The names that formulas of a table may use, as far as they are known yet. */
function useFormulaNames({ docId, tableId }: Pick<FormulaEditorProps, 'docId' | 'tableId'>) {
  const client = useQueryClient()
  const names = useRef<FormulaNames>({ ...noNames, tableId })
  useEffect(() => {
    const fetchColumns = (table: string) =>
      client.fetchQuery({ ...columnsQuery(docId, table), staleTime: FRESH_MS })
    names.current = {
      ...noNames,
      tableId,
      columnsOf: async (table) => {
        const columns = await fetchColumns(table).catch(() => [])
        return columns.map(({ id, fields: { label, type } }) => ({ id, label, type }))
      },
    }
    const addTables = async () => {
      const tables = await client.fetchQuery({ ...tablesQuery(docId), staleTime: FRESH_MS })
      names.current = { ...names.current, tables: tables.map(({ id }) => id) }
    }
    // Without them, columns and functions are still completed.
    addTables().catch(() => {})
  }, [client, docId, tableId])
  return names
}

const noNames: FormulaNames = {
  tableId: '',
  tables: [],
  functions: functions satisfies readonly FormulaFunction[],
  columnsOf: () => Promise.resolve([]),
}
