import type { ComponentProps, ReactNode } from 'react'

/** How much a button stands out. */
export type ButtonKind = 'plain' | 'primary' | 'danger' | 'quiet'

interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: ButtonKind
  /** True while what it began goes on: it takes no further click. */
  readonly isBusy?: boolean
}

/** A button; it submits only when its type says so. */
export function Button({ kind = 'plain', isBusy = false, ...props }: ButtonProps): ReactNode {
  const { className = '', disabled, onClick, type = 'button', ...others } = props
  return (
    <button
      {...others}
      type={type}
      className={`button ${kind} ${className}`}
      disabled={disabled}
      aria-busy={isBusy || undefined}
      // A disabled button would lose the focus, and with it the place of who uses the keyboard.
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    />
  )
}
