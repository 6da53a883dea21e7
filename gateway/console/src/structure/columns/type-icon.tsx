import type { ReactNode } from 'react'
import { Icon, type IconName } from '../../components/icon'

const icons: Readonly<Record<string, IconName>> = {
  Text: 'text',
  Numeric: 'number',
  Int: 'integer',
  Bool: 'checkbox',
  Date: 'date',
  DateTime: 'clock',
  Choice: 'choice',
  ChoiceList: 'list',
  Ref: 'link',
  RefList: 'table',
  Attachments: 'file',
}

/** The icon of a column type, which may have its argument. */
export function TypeIcon({ type }: { readonly type: string }): ReactNode {
  const [name = ''] = type.split(':')
  return <Icon name={icons[name] ?? 'any'} />
}
