import { useId, type ComponentProps, type ReactNode } from 'react'

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string
}

/** Attributes that associate a control with its label, hint and error. */
interface ControlProps {
  readonly id: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: true
}

/** A labelled form control with a hint and an error. */
export function Field(
  props: FieldProps & { readonly children: (control: ControlProps) => ReactNode },
): ReactNode {
  const { label, hint, error, children } = props
  const id = useId()
  const notes = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(
    (note) => note !== false,
  )
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': notes.length > 0 ? notes.join(' ') : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="note">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="note error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

/** A single-line text field. */
export function TextField(props: FieldProps & ComponentProps<'input'>): ReactNode {
  const { label, hint, error, ...input } = props
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <input type="text" autoComplete="off" {...input} {...control} />}
    </Field>
  )
}

/** A select field. */
export function SelectField(
  props: FieldProps &
    ComponentProps<'select'> & { readonly options: readonly (readonly [string, string])[] },
): ReactNode {
  const { label, hint, error, options, ...select } = props
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <select {...select} {...control}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A checkbox. */
export function CheckField(
  props: { readonly label: ReactNode } & ComponentProps<'input'>,
): ReactNode {
  const { label, ...input } = props
  return (
    <label className="check">
      <input type="checkbox" {...input} />
      <span>{label}</span>
    </label>
  )
}
