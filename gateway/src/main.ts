import { runService } from '@sheaf/kit/lifecycle'

runService('gateway', async () => {
  const { readConfig } = await import('./config.js')
  const { startGateway } = await import('./service.js')
  return startGateway(readConfig(process.env))
})
