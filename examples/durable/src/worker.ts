// A worker process: `node worker.js NAME LEDGER`. Prints its port, and a line at the start of each payment.
import { createServer } from 'node:http2'
import { createEndpointHandler } from '@restatedev/restate-sdk'
import { restateAgents } from '@toolgen/runtime/restate'
import { newAgents } from './agents.js'
import { InvoicesClient } from './invoices-client.js'

const [name = '', ledger = ''] = process.argv.slice(2)
const agents = newAgents(new InvoicesClient(ledger, (text) => console.log(`${name} ${text}`)))
const server = createServer(
  createEndpointHandler({ ...restateAgents(agents, { maxRetryDelayMs: 1_000 }), logger: () => undefined }),
)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`port ${typeof address === 'object' ? address?.port : ''}`)
})
// The worker ends together with the main program.
process.stdin.resume().once('end', () => process.exit())
