/*
 * What the program of a statement may do. SQLite compiles a statement into a program, and EXPLAIN lists its
 * instructions: every table that is read and every function that is called appears there, whatever the text
 * looks like. This is an allow list, so instructions added by a later version of SQLite are rejected until
 * they have been reviewed.
 */

/** An instruction as listed by EXPLAIN: address, name, p1, p2, p3, p4, p5. */
export type ProgramStep = readonly [number, string, number, number, number, string | null, number]

/** What the instructions of a program may open. */
export interface Openable {
  /** True for the root page of a readable table or index. */
  readonly isReadable: (rootPage: number) => boolean
  /** True for a readable virtual table, given what EXPLAIN shows of it. */
  readonly isReadableVirtual: (pointer: string) => boolean
}

const words = (text: string) => new Set(text.trim().split(/\s+/))

/** Instructions that compute, jump, and iterate over open cursors. */
const harmless = words(`
  Abortable Add AddImm Affinity And BeginSubrtn BitAnd BitNot BitOr Blob Cast Close ClrSubtype CollSeq Column ColumnsUsed
  Compare Concat Copy Count CursorHint CursorLock CursorUnlock DecrJumpZero DeferredSeek Delete Divide ElseEq EndCoroutine Eq
  Explain Filter FilterAdd FinishSeek Found Ge GetSubtype Gosub Goto Gt Halt HaltIfNull IFindKey IdxDelete IdxGE IdxGT IdxInsert
  IdxLE IdxLT IdxRowid If IfEmpty IfNoHope IfNot IfNotOpen IfNotZero IfNullRow IfPos IfSizeBetween Init InitCoroutine Insert Int64
  IntCopy Integer IsNull IsTrue IsType Jump Last Le Lt MakeRecord MemMax Move Multiply MustBeInt Ne NewRowid Next NoConflict Noop
  Not NotExists NotFound NotNull Null NullRow Offset OffsetLimit Once OpenAutoindex OpenDup OpenEphemeral OpenPseudo Or Param
  Permutation Prev Real RealAffinity ReleaseReg Remainder ResetSorter ResultRow Return Rewind RowCell RowData RowSetAdd RowSetRead
  RowSetTest Rowid SCopy SeekEnd SeekGE SeekGT SeekHit SeekLE SeekLT SeekRowid SeekScan Sequence SequenceTest SetSubtype ShiftLeft
  ShiftRight SoftNull Sort SorterCompare SorterData SorterInsert SorterNext SorterOpen SorterSort String String8 Subtract
  TableLock Trace Transaction TypeCheck VColumn VFilter VInitIn VNext Variable Yield ZeroOrNull
`)

/** Those of programs that look up a row by its id, and show it by a view. */
const straight = words(`
  Affinity ClrSubtype Close Column Concat Copy Eq Explain Function Ge Goto Gt Halt If IfNot Init Int64 Integer IsNull Le Lt
  MustBeInt Ne Noop NotExists NotNull Null Once OpenRead PureFunc Real RealAffinity ResultRow Rowid SCopy SeekRowid String8
  Transaction Variable
`)

/** Instructions among them that jump to p2. */
const jumps = words(
  'Eq Ge Goto Gt If IfNot Init IsNull Le Lt MustBeInt Ne NotExists NotNull Once SeekRowid',
)

/** Instructions that call a function, whose name is in p4. */
const calls = words('AggFinal AggInverse AggStep AggStep1 AggValue Function PureFunc')

/** Instructions that open a table or an index: its root page is p2, its database p3. */
const opens = words('OpenRead ReopenIdx')

/** p5 of an instruction whose root page is determined only at run time. */
const ROOT_IN_REGISTER = 0x10

/** Functions without side effects that read only their arguments. */
const functions = words(`
  -> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat concat_ws cos cosh count cume_dist
  current_date current_time current_timestamp date datetime degrees dense_rank exp first_value floor format glob group_concat hex
  if ifnull iif instr json json_array json_array_insert json_array_length json_error_position json_extract json_group_array
  json_group_object json_insert json_object json_patch json_pretty json_quote json_remove json_replace json_set json_type json_valid
  jsonb jsonb_array jsonb_array_insert jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_patch
  jsonb_remove jsonb_replace jsonb_set julianday lag last_value lead length like likelihood likely ln log log10 log2 lower ltrim
  max median min mod nth_value ntile nullif octet_length percent_rank percentile percentile_cont percentile_disc pi pow power
  printf quote radians random randomblob rank replace round row_number rtrim sign sin sinh soundex sqlite_version sqrt strftime
  string_agg substr substring subtype sum tan tanh time timediff total trim trunc typeof unhex unicode unistr unistr_quote unixepoch
  unlikely upper zeroblob
`)

/** SQLite's message for what an application does not permit. */
const NOT_AUTHORIZED = 'not authorized'

/** Why a program is rejected; undefined when all its instructions are permitted. */
export function findRefusal(steps: Iterable<ProgramStep>, openable: Openable): string | undefined {
  for (const step of steps) {
    const refusal = refuse(step, openable)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** True when no instruction of a program runs twice, whatever is in the file. */
export function hasNoLoop(steps: readonly ProgramStep[]): boolean {
  // Programs begin with a jump to their last part, which ends with a jump to the second instruction.
  const end = steps.length - 1
  return steps.every(
    ([address, name, , target]) =>
      straight.has(name) && (!jumps.has(name) || target > address || address === end),
  )
}

function refuse(
  [, name, , p2, p3, p4, p5]: ProgramStep,
  { isReadable, isReadableVirtual }: Openable,
): string | undefined {
  if (harmless.has(name)) return undefined
  if (calls.has(name)) {
    const called = (p4 ?? '').replace(/\(-?\d+\)$/, '').toLowerCase()
    return functions.has(called) ? undefined : `not authorized to use function: ${called}`
  }
  if (opens.has(name)) {
    const isStated = (p5 & ROOT_IN_REGISTER) === 0
    return isStated && p3 === 0 && isReadable(p2) ? undefined : NOT_AUTHORIZED
  }
  if (name === 'VOpen') return isReadableVirtual(p4 ?? '') ? undefined : NOT_AUTHORIZED
  return NOT_AUTHORIZED
}
