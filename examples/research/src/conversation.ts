import type { BoundAgent, HasApproval, RunConfig } from '@toolgen/runtime'
import type { AgentRun, PendingAnswer, RunHandle, RunSuspension } from '@toolgen/runtime/agents'
import { type Print, printEnd, printEvent, printWait } from './transcript.js'

/** Who takes part in a conversation beside the customer. */
export interface Conversation {
  readonly support: BoundAgent<HasApproval>
  /** Asked for each call that waits. */
  readonly decide: () => PendingAnswer
  readonly print: Print
  readonly config: RunConfig
}

/** Nobody is there to ask while a run goes on: what needs an approval waits. */
const env: HasApproval = { approval: { approve: async () => 'suspend' } }

/** Runs a conversation to its end, however often it has to wait. */
export async function converse(question: string, { support, decide, print, config }: Conversation): Promise<AgentRun> {
  const options = { env, config, deepTracing: true }
  print(`Customer: ${question}\n`)
  let run = await told(support.run(question, options), print)
  while (run.suspension !== undefined) {
    // In real life the text lies in a database until somebody has decided.
    const suspension: RunSuspension = JSON.parse(JSON.stringify(run.suspension))
    const decided = suspension.pending.map((pending) => [pending, decide()] as const)
    for (const [pending, answer] of decided) printWait(pending, answer, print)
    const answers = Object.fromEntries(decided.map(([{ id }, answer]) => [id, answer]))
    run = await told(support.resume(suspension, answers, options), print)
  }
  printEnd(run, print)
  return run
}

async function told(run: RunHandle, print: Print): Promise<AgentRun> {
  for await (const event of run) printEvent(event, print)
  return run
}
