import { SessionRegistry } from '@toolgen/runtime/sessions'
import { callers } from '../callers.mjs'
import { openedSessions, opening } from '../opened-sessions.mjs'
import { paced } from '../paced.mjs'
import { ranks } from '../ranks.mjs'
import { boundStock, shelvesOfOneKilobyte, streamingCall } from '../stock.mjs'

const QUIET = 50
const PER_SECOND = 100
/** Time between two calls of the noisy session, in milliseconds. */
const PAUSE = 50

/**
 * Acknowledgements of 50 quiet sessions at a constant rate: alone, and while another session with unread results makes calls.
 */
export async function prepare({ store, scale }) {
  const registry = new SessionRegistry({ agents: { stock: boundStock() }, store })
  const calling = (await openedSessions(registry, QUIET, 'quiet')).map(callers.streaming)
  const noisy = await registry.open('noisy', opening)
  const { unreadResults, unreadKilobytes } = scale
  const acknowledgements = async (milliseconds) => {
    const measure = async (call, sku, due) => (await call(sku)).acknowledged - due
    return ranks(await paced(calling, { perSecond: PER_SECOND, milliseconds, measure }))
  }
  await acknowledgements(scale.warmUp)
  return async () => {
    const alone = await acknowledgements(scale.paced)
    for (let number = 0; number < unreadResults; number += 1) {
      await ended(noisy, streamingCall(`SKU-${number}`, shelvesOfOneKilobyte * unreadKilobytes))
    }
    let isOver = false
    const noise = makeNoise(noisy, () => isOver)
    const nextToNoisy = await acknowledgements(scale.paced)
    isOver = true
    const calls = await noise
    const results = noisy.poll().filter(({ kind }) => kind === 'completed').length
    if (results !== unreadResults + calls) throw new Error(`${results} of ${unreadResults + calls} results were kept`)
    await noisy.consume()
    return { alone, nextToNoisy }
  }
}

async function makeNoise(session, isOver) {
  let calls = 0
  while (!isOver()) {
    await ended(session, streamingCall(`SKU-${calls}`))
    calls += 1
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
  return calls
}

async function ended(session, call) {
  const response = await session.execute(call)
  if (response.status !== 'streaming') throw new Error(`not acknowledged: ${JSON.stringify(response)}`)
  while (session.hasPending()) await new Promise((resolve) => setTimeout(resolve, 1))
}
