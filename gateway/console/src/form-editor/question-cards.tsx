import type { FormSettingsField } from '@sheaf/client'
import type { ReactNode } from 'react'
import type { Column } from '../api/resources'
import { Button } from '../components/button'
import { CheckField, SelectField, TextField } from '../components/field'
import { focusBeside } from '../components/focus-beside'
import { Icon } from '../components/icon'
import {
  isFillable,
  lengths,
  withField,
  withMoved,
  withoutField,
  type FormDraft,
} from '../form/form-settings'
import { columnName } from '../formats/column'
import { typeText } from '../structure/columns/column-types'

/** A form that is edited. */
export interface EditedForm {
  readonly draft: FormDraft
  readonly columns: readonly Column[]
  readonly onDraft: (draft: FormDraft) => void
}

/** The questions of a form, in order, and the columns that can be added. */
export function QuestionCards({ draft, columns, onDraft }: EditedForm): ReactNode {
  const byId = new Map(columns.map((column) => [column.id, column]))
  const asked = new Set(draft.fields.map(({ id }) => id))
  const others = columns.filter((column) => isFillable(column) && !asked.has(column.id))
  const barred = columns.filter((column) => !isFillable(column))
  const add = (id: string) => {
    if (id !== '') onDraft({ ...draft, fields: [...draft.fields, { id }] })
  }
  return (
    <>
      {draft.fields.length === 0 && (
        <p className="note">This form has no questions yet. Add one from the list below.</p>
      )}
      <ol className="question-cards">
        {draft.fields.map((field, index) => (
          <QuestionCard
            key={field.id}
            field={field}
            column={byId.get(field.id)}
            isFirst={index === 0}
            isLast={index === draft.fields.length - 1}
            draft={draft}
            onDraft={onDraft}
          />
        ))}
      </ol>
      <SelectField
        label="Add a question"
        value=""
        // Disabled, it would lose the focus with the last column.
        aria-disabled={others.length === 0}
        options={[
          ['', others.length === 0 ? 'All columns are in the form' : 'Choose a column…'],
          ...others.map((column) => [column.id, columnName(column)] as const),
        ]}
        onChange={({ target }) => add(target.value)}
      />
      {barred.length > 0 && (
        <p className="note">
          Not possible in a form: {barred.map(columnName).join(', ')}. Formulas are computed;
          references would show rows of other tables, and files could be uploaded by anyone.
        </p>
      )}
    </>
  )
}

interface QuestionCardProps extends Pick<EditedForm, 'draft' | 'onDraft'> {
  readonly field: FormSettingsField
  readonly column: Column | undefined
  readonly isFirst: boolean
  readonly isLast: boolean
}

function QuestionCard({
  field,
  column,
  isFirst,
  isLast,
  draft,
  onDraft,
}: QuestionCardProps): ReactNode {
  const { id, label = '', help = '', required = false, multiline = false } = field
  const name = column ? columnName(column) : id
  const change = (part: Partial<FormSettingsField>) => onDraft(withField(draft, id, part))
  return (
    <li className="question-card" aria-label={name}>
      <div className="question-card-head">
        <span>
          <strong>{name}</strong>{' '}
          <span className="note">{column && typeText(column.fields.type)}</span>
        </span>
        <Button
          kind="quiet"
          className="icon"
          aria-label={`Move ${name} up`}
          aria-disabled={isFirst}
          onClick={() => onDraft(withMoved(draft, id, -1))}
        >
          <Icon name="up" />
        </Button>
        <Button
          kind="quiet"
          className="icon"
          aria-label={`Move ${name} down`}
          aria-disabled={isLast}
          onClick={() => onDraft(withMoved(draft, id, 1))}
        >
          <Icon name="down" />
        </Button>
        <Button
          kind="quiet"
          aria-label={`Remove ${name}`}
          onClick={({ currentTarget }) => {
            focusBeside(currentTarget, '.question-cards + * select')
            onDraft(withoutField(draft, id))
          }}
        >
          Remove
        </Button>
      </div>
      <TextField
        label="Question"
        value={label}
        placeholder={name}
        maxLength={lengths.label}
        onChange={({ target }) => change({ label: target.value })}
      />
      <TextField
        label="Help"
        value={help}
        maxLength={lengths.help}
        onChange={({ target }) => change({ help: target.value })}
      />
      <div className="question-card-flags">
        <CheckField
          label="Required"
          checked={required}
          onChange={({ target }) => change({ required: target.checked })}
        />
        {column?.fields.type === 'Text' && (
          <CheckField
            label="Several lines"
            checked={multiline}
            onChange={({ target }) => change({ multiline: target.checked })}
          />
        )}
      </div>
    </li>
  )
}
