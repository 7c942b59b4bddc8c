import { clerk } from './clerk.js'
import { openDesk } from './desk.js'
import { PaymentsClient } from './payments-client.js'

const client = new PaymentsClient()
const env = clerk(100, ({ prompt }) => console.log(`   the clerk is asked: ${prompt}`))
const run = openDesk(client).run('My lamp broke. I want my money back and my account closed.', { env })

for await (const event of run) {
  if (event.type === 'step_started') console.log(`\nstep ${event.turn}`)
  if (event.type === 'call_started') console.log(`   ${event.hint ?? event.title} ...`)
  if (event.type === 'call_ended') {
    const { outcome } = event
    const told = outcome.status === 'completed' ? outcome.json : outcome.status === 'failed' ? outcome.hint.message : ''
    console.log(`   ${event.title}: ${outcome.status}: ${told}`)
  }
}

const { status, stop, usage } = await run
console.log(`\nthe run ${status} (${stop.reason}) after ${usage.turns} turns and ${usage.toolCalls} calls`)
console.log(`the service really did: ${client.done.join(', ')}`)
