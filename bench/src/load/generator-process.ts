import { runLoad, type Load } from './load'

// The program behind startGenerator: receives a load as a message and sends its result as one.
process.on('message', (load: Load) => {
  runLoad(load).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
