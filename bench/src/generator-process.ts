import { runLoad, type Load } from './load'

// The program behind startGenerator: a load comes in as a message, what came of it goes out as one.
process.on('message', (load: Load) => {
  runLoad(load).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
