// Measures one workload with one store in its own process: prepares the workload, then measures one round per message from the parent, so that the
// rounds of several workloads alternate. Closes the store after the last round.
import { scales } from './scale.mjs'
import { stores } from './stores.mjs'

const [name, storeName, scaleName, rounds, settings] = process.argv.slice(2)
const { prepare } = await import(`./cases/${name}.mjs`)
const { store, statements, end } = await stores[storeName]()
const round = await closingOnError(() =>
  prepare({ store, statements, scale: scales[scaleName], ...JSON.parse(settings) }),
)
let remaining = Number(rounds)
process.on('message', async () => {
  process.send(await closingOnError(round))
  remaining -= 1
  if (remaining > 0) return
  await end()
  process.send({ ended: true })
})
process.send({ ready: true })

async function closingOnError(work) {
  try {
    return await work()
  } catch (error) {
    await end()
    throw error
  }
}
