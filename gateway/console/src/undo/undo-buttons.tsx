import type { ReactNode } from 'react'
import { Button } from '../components/button'
import { Icon } from '../components/icon'
import { useUndoCommands } from './undo-provider'

const commands = [
  ['undo', 'Undo', 'Ctrl+Z'],
  ['redo', 'Redo', 'Ctrl+Shift+Z'],
] as const

/** Buttons that undo and redo the changes of this page. */
export function UndoButtons(): ReactNode {
  const { run, ...labels } = useUndoCommands()
  return commands.map(([command, name, keys]) => {
    const label = labels[command]
    return (
      <Button
        key={command}
        kind="quiet"
        className="icon"
        aria-label={name}
        title={label === undefined ? `Nothing to ${command}` : `${name}: ${label} (${keys})`}
        // A disabled button would lose the keyboard focus with the last change.
        aria-disabled={label === undefined}
        onClick={() => label !== undefined && run(command)}
      >
        <Icon name={command} />
      </Button>
    )
  })
}
