import type { ComponentProps, ReactNode } from 'react'

/** Visual emphasis of a button. */
export type ButtonKind = 'plain' | 'primary' | 'danger' | 'quiet'

interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: ButtonKind
  /** True while its action is in progress. Further clicks are ignored. */
  readonly isBusy?: boolean
}

/** A button. Does not submit forms unless its type is `submit`. */
export function Button({ kind = 'plain', isBusy = false, ...props }: ButtonProps): ReactNode {
  const { className = '', disabled, onClick, type = 'button', ...others } = props
  return (
    <button
      {...others}
      type={type}
      className={`button ${kind} ${className}`}
      disabled={disabled}
      aria-busy={isBusy || undefined}
      // A disabled button would lose the keyboard focus.
      aria-disabled={isBusy || others['aria-disabled']}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    />
  )
}
