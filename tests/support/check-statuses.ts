import { testHost } from '@sheaf/testkit/engines'
import { takeStatusesOfSuite } from '@sheaf/testkit/seen-statuses'

// jest loads this before each suite of the system tests: every status that a suite has seen must be in the
// OpenAPI document.
afterAll(async () => {
  const worker = process.env.JEST_WORKER_ID ?? '1'
  const seen = takeStatusesOfSuite()
  const undescribed = await testHost().findUndescribed({ worker, seen })
  if (undescribed.length > 0)
    throw new Error(
      `responses that /api/openapi.json does not describe:\n${undescribed.join('\n')}`,
    )
})
