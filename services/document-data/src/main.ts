import { runService } from '@sheaf/kit/lifecycle'

runService('document-data', async (warn) => {
  const [{ readConfig }, { startDocumentData }] = await Promise.all([
    import('./config.js'),
    import('./service.js'),
  ])
  return startDocumentData(readConfig(process.env, warn))
})
