import { toAppError } from '@sheaf/kit/errors'
import { openParentChannel } from '../processes/parent-channel'
import { importFile, previewFile } from './import-file'
import type { FromImport, ToImport } from './import-messages'

/*
 * Entry point of an import process. It performs one import and exits. Its input may be hostile, so it runs in
 * a separate process, which can be killed at any moment without side effects.
 */

/** Minimum interval between two progress reports. */
const REPORT_MS = 200

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

async function run({ kind, request }: ToImport): Promise<void> {
  let reportedAt = 0
  try {
    const act = kind === 'import' ? importFile : previewFile
    const outcome = await act(request, (progress) => {
      const now = performance.now()
      if (now - reportedAt < REPORT_MS) return
      reportedAt = now
      void parent.send({ kind: 'progress', progress })
    })
    await parent.send({ kind: 'done', outcome })
  } catch (error) {
    await parent.send(failure(error))
  }
  parent.close()
}

const parent = openParentChannel<ToImport, FromImport>((order) => void run(order))
void parent.send({ kind: 'ready' })
