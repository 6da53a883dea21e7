import { z } from 'zod'
import { checkFormula as check } from '../documents/formula-check'
import { DocumentSession } from '../routing/document-session'
import { formulaCheck } from '../schemas/formulas'
import { ANSWER_BYTES } from './answer-budget'
import { defineTool, docId, type Tool } from './tool'

/** Checks a formula. */
export const checkFormula: Tool = defineTool({
  name: 'check_formula',
  title: 'Check a formula',
  description:
    'Returns the errors of syntax, the unknown names and the results of a formula, in Python such as `$Price * $Count`, for up to 20 rows. Nothing is stored. Call it before writing a formula. Requires edit access.',
  schema: z.strictObject({ docId, ...formulaCheck.shape }),
  async run({ exchange }, { docId: name, ...body }) {
    const document = await DocumentSession.open(exchange, name, 'editors')
    const checked = await check(document, body)
    const json = JSON.stringify(checked)
    if (Buffer.byteLength(json) <= ANSWER_BYTES) return json
    // Long results say no more than short ones: errors remain.
    const rows = checked.rows.map(({ id, error }) => ({ id, error, value: '…' }))
    return JSON.stringify({ ...checked, rows, truncated: true })
  },
})
