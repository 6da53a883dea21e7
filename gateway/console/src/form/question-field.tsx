import { useId, type ReactNode } from 'react'
import { lastDates } from '../formats/date'
import type { Entry, Question } from './answers'

/** Up to this many choices are shown at once. */
const FEW_CHOICES = 7

/** A question, what was entered, and what is wrong with it. */
export interface QuestionProps {
  readonly question: Question
  readonly entry: Entry | undefined
  readonly fault: string | undefined
  readonly onEntry: (entry: Entry) => void
}

/** What controls have in common: their name, and what is said about them. */
interface ControlProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
  readonly required: boolean
}

/** A question with its control. */
export function QuestionField(props: QuestionProps): ReactNode {
  const { question, fault } = props
  const id = useId()
  const notes = [
    ...(question.help === '' ? [] : [`${id}-help`]),
    ...(question.percent ? [`${id}-unit`] : []),
    ...(fault === undefined ? [] : [`${id}-fault`]),
  ]
  const control: ControlProps = {
    id,
    'aria-describedby': notes.length > 0 ? notes.join(' ') : undefined,
    'aria-invalid': fault === undefined ? undefined : true,
    required: question.required,
  }
  const isGroup = question.type === 'ChoiceList' || isRadio(question)
  const isTick = question.type === 'Bool'
  const about = <Notes id={id} question={question} fault={fault} />
  if (isGroup)
    return (
      <fieldset
        className="question"
        data-question={question.id}
        aria-describedby={control['aria-describedby']}
      >
        <legend>
          <Label question={question} />
        </legend>
        {about}
        <Choices {...props} name={id} />
      </fieldset>
    )
  return (
    <div className="question" data-question={question.id}>
      {isTick ? (
        <Tick {...props} control={control} />
      ) : (
        <label htmlFor={id}>
          <Label question={question} />
        </label>
      )}
      {about}
      {!isTick && <Control {...props} control={control} />}
    </div>
  )
}

const isRadio = ({ type, choices = [] }: Question): boolean =>
  type === 'Choice' && choices.length <= FEW_CHOICES

function Label({ question }: { readonly question: Question }): ReactNode {
  return (
    <>
      {question.label}
      {question.required && <span className="question-required"> (required)</span>}
    </>
  )
}

function Notes(props: {
  readonly id: string
  readonly question: Question
  readonly fault: string | undefined
}): ReactNode {
  const { id, question, fault } = props
  return (
    <>
      {question.help !== '' && (
        <p id={`${id}-help`} className="note question-help">
          {question.help}
        </p>
      )}
      {question.percent && (
        <p id={`${id}-unit`} className="note">
          In percent, such as 50 or 12.5
        </p>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} className="note error">
          {fault}
        </p>
      )}
    </>
  )
}

interface WithControl extends QuestionProps {
  readonly control: ControlProps
}

function Tick({ question, entry, onEntry, control }: WithControl): ReactNode {
  return (
    <label className="check">
      <input
        {...control}
        type="checkbox"
        checked={entry === true}
        onChange={({ target }) => onEntry(target.checked)}
      />
      <span>
        <Label question={question} />
      </span>
    </label>
  )
}

/** Attributes of the inputs of types that are entered as text. */
const inputs: Readonly<
  Record<
    string,
    { readonly type: string; readonly max?: string; readonly inputMode?: 'decimal' | 'numeric' }
  >
> = {
  Numeric: { type: 'text', inputMode: 'decimal' },
  Int: { type: 'text', inputMode: 'numeric' },
  Date: { type: 'date', max: lastDates.date },
  DateTime: { type: 'datetime-local', max: lastDates['datetime-local'] },
}

function Control({ question, entry, onEntry, control }: WithControl): ReactNode {
  const { type, multiline, choices = [], timeZone } = question
  const value = typeof entry === 'string' ? entry : ''
  const shared = {
    ...control,
    value,
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onEntry(target.value),
  }
  if (type === 'Choice')
    return (
      <select {...shared}>
        <option value="">Choose…</option>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    )
  if (type === 'Text' && multiline) return <textarea {...shared} rows={4} />
  return (
    <>
      <input {...shared} {...(inputs[type] ?? { type: 'text' })} />
      {timeZone !== undefined && <p className="note">Time zone: {timeZone}</p>}
    </>
  )
}

function Choices({
  question,
  entry,
  onEntry,
  name,
}: QuestionProps & { readonly name: string }): ReactNode {
  const { choices = [], type } = question
  const ticked: readonly string[] =
    typeof entry === 'string' ? [entry] : Array.isArray(entry) ? entry : []
  const toggle = (choice: string, isOn: boolean) =>
    onEntry(choices.filter((one) => (one === choice ? isOn : ticked.includes(one))))
  const isOne = type === 'Choice'
  if (choices.length === 0) return <p className="note">There is nothing to choose from.</p>
  return (
    <>
      {choices.map((choice) => (
        <label key={choice} className="check">
          <input
            type={isOne ? 'radio' : 'checkbox'}
            name={name}
            checked={ticked.includes(choice)}
            onChange={({ target }) => (isOne ? onEntry(choice) : toggle(choice, target.checked))}
          />
          <span>{choice}</span>
        </label>
      ))}
      {isOne && !question.required && ticked.some((one) => one !== '') && (
        <button type="button" className="button quiet" onClick={() => onEntry('')}>
          Clear answer
        </button>
      )}
    </>
  )
}
