// One case over one store in a process of its own: prepares it, then measures a round whenever the benchmark asks for one,
// so that rounds of several alternate. After the last one the store is given back.
import { scaleOf } from './scale.mjs'
import { stores } from './stores.mjs'

const [name, storeName, scaleName, rounds, settings] = process.argv.slice(2)
const { prepare } = await import(`./cases/${name}.mjs`)
const { store, statements, end } = await stores[storeName]()
const round = await ended(() => prepare({ store, statements, scale: scaleOf(scaleName), ...JSON.parse(settings) }))
let left = Number(rounds)
process.on('message', async () => {
  process.send(await ended(round))
  left -= 1
  if (left > 0) return
  await end()
  process.send({ ended: true })
})
process.send({ ready: true })

/** Gives the store back where this fails. */
async function ended(work) {
  try {
    return await work()
  } catch (error) {
    await end()
    throw error
  }
}
