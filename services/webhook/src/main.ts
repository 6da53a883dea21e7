import { runService } from '@sheaf/kit/lifecycle'

runService('webhook', async () => {
  const { readConfig } = await import('./config.js')
  const { startWebhook } = await import('./service.js')
  return startWebhook(readConfig(process.env))
})
