import { runService } from '@sheaf/kit/lifecycle'

runService('gateway', async (warn) => {
  const { readConfig } = await import('./config.js')
  const { startGateway } = await import('./service.js')
  return startGateway(readConfig(process.env, warn))
})
