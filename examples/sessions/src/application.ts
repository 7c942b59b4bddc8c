// One process of the application. It serves until it is told to stop; sessions outlive it in the database.
import { once } from 'node:events'
import { postgresStore } from '@toolgen/runtime/postgres'
import { SessionRegistry } from '@toolgen/runtime/sessions'
import { openAnalyst } from './analyst.js'
import { openDatabase } from './database.js'
import { serve } from './server.js'

// Whoever has started it says so, or is no more.
const toldToStop = Promise.race([once(process, 'SIGTERM'), once(process, 'disconnect')])

const database = await openDatabase(process.env)
const analyst = openAnalyst()
const sessions = new SessionRegistry({ agents: { analyst }, store: postgresStore({ query: database.query }) })
const server = await serve({ analyst, sessions })
if (process.connected) process.send?.(server.address())

await toldToStop
server.close()
// The reports under way get time to end; what nobody has taken is stored.
await sessions.closeAll({ drainMs: 10_000 })
await database.close()
process.exit()
