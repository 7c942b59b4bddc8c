// One process of the application. It serves requests until it receives SIGTERM. The database keeps the sessions.
import { once } from 'node:events'
import { postgresStore } from '@toolgen/runtime/postgres'
import { SessionRegistry } from '@toolgen/runtime/sessions'
import { openAnalyst } from './analyst.js'
import { openDatabase } from './database.js'
import { serve } from './server.js'

// The parent process sends SIGTERM. If the parent ends, the process disconnects.
const toldToStop = Promise.race([once(process, 'SIGTERM'), once(process, 'disconnect')])

const database = await openDatabase(process.env)
const analyst = openAnalyst()
const sessions = new SessionRegistry({ agents: { analyst }, store: postgresStore({ query: database.query }) })
const server = await serve({ analyst, sessions })
if (process.connected) process.send?.(server.address())

await toldToStop
server.close()
// Running reports get ten seconds to end. The store keeps results that no run has read.
await sessions.closeAll({ drainMs: 10_000 })
await database.close()
process.exit()
