// A process that works with sessions over a durable store until it is killed. Says what it does in a log file, synchronously:
// what stands there has happened before whatever follows. With `drains` it takes what there is, makes no calls, and ends.
import { SessionRegistry } from '@toolgen/runtime/sessions'
import { LogFile } from './log-file.mjs'
import { openStore } from './open-store.mjs'
import { SessionLife } from './session-life.mjs'
import { workingTools } from './working-tools.mjs'

const { place, log: path, drains, death, ...rest } = JSON.parse(process.argv[2])
const log = new LogFile(path)
const { store, close } = await openStore(place, death)
const agents = workingTools()
const registry = new SessionRegistry({ agents, store })
const lives = sessionsOf(rest.sessions).map((session) => new SessionLife(registry, session, { log, ...rest }))

await Promise.all(lives.map((life) => (drains ? life.drain() : life.begin())))
if (drains) await close()
else {
  process.stdout.write('ready\n')
  await Promise.all(lives.map((life) => life.work()))
}

/** Two users, each with every second session; two configurations, each of both users. */
function sessionsOf(count) {
  const users = ['u-0', 'u-1']
  const namespaces = [['sinks'], ['sinks', 'streams']]
  return Array.from({ length: count }, (_, index) => ({
    id: `s-${index}`,
    userId: users[index % 2],
    stranger: users[(index + 1) % 2],
    namespaces: namespaces[(index >> 1) % 2],
  }))
}
