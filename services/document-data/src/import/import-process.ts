import { toAppError } from '@sheaf/kit/errors'
import { importFile, type ImportOrder } from './import-file'
import type { FromImport } from './import-messages'

/*
 * The program of an import process. It does one import and ends. What it reads comes from anybody, so it has a process of
 * its own, which can be killed at any moment and takes nothing else with it.
 */

const SLOWEST_REPORT_MS = 200

function tell(message: FromImport): void {
  process.send?.(message)
}

function failure(error: unknown): FromImport {
  const known = toAppError(error)
  if (known) {
    const { code, reason, message, metadata } = known
    return { kind: 'refused', code, reason, message, metadata }
  }
  const { name, message, code } = error as { name?: string; message?: string; code?: unknown }
  return {
    kind: 'failed',
    name: name ?? 'Error',
    message: message ?? String(error),
    code: typeof code === 'string' ? code : '',
  }
}

async function run(order: ImportOrder): Promise<void> {
  let reportedAt = 0
  try {
    const imported = await importFile(order, (progress) => {
      const now = performance.now()
      if (now - reportedAt < SLOWEST_REPORT_MS) return
      reportedAt = now
      tell({ kind: 'progress', progress })
    })
    tell({ kind: 'done', imported })
  } catch (error) {
    tell(failure(error))
  }
  process.disconnect()
}

// Whoever started it has gone: nobody wants the document any more.
process.on('disconnect', () => process.exit())
process.once('message', (order: ImportOrder) => void run(order))
tell({ kind: 'ready' })
