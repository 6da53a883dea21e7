import { runService } from '@sheaf/kit/lifecycle'

runService('directory', async () => {
  const [{ readConfig }, { startDirectory }] = await Promise.all([
    import('./config.js'),
    import('./service.js'),
  ])
  return startDirectory(readConfig(process.env))
})
