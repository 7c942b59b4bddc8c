// Compares two agents in one process: one without trust features, and one with a feature that the measured tool does not use. Answers each message
// with the ratios of many pairs of short rounds.
import { unusedFeatures, unusedFeatureWorks } from './unused-features.mjs'

const [scale, work, feature] = process.argv.slice(2)
/** CPU milliseconds of the warm-up, and number of pairs per message. */
const settings = scale === 'quick' ? { warmUp: 20, pairs: 3 } : { warmUp: 1_500, pairs: 600 }

const { prepare, repetitions } = unusedFeatureWorks[work]
const without = await prepare({})
const withFeature = await prepare(unusedFeatures[feature])

// The warm-up alternates too, so that the engine optimizes the same code for both.
for (let total = 0; total < settings.warmUp; )
  total += (await cpuMilliseconds(without)) + (await cpuMilliseconds(withFeature))
process.on('message', async () => {
  const ratios = []
  for (let pair = 0; pair < settings.pairs; pair += 1) {
    const isReversed = pair % 2 === 1
    const before = isReversed ? await cpuMilliseconds(withFeature) : undefined
    const reference = await cpuMilliseconds(without)
    ratios.push((before ?? (await cpuMilliseconds(withFeature))) / reference)
  }
  process.send({ ratios })
})
process.send({ ready: true })

async function cpuMilliseconds(repeated) {
  const before = process.cpuUsage()
  for (let index = 0; index < repetitions; index += 1) await repeated()
  const { user, system } = process.cpuUsage(before)
  return Math.max(user + system, 1) / 1000
}
