import type { BoundAgent, HasApproval, RunConfig } from '@toolgen/runtime'
import type { AgentRun, PendingAnswer, RunHandle, RunSuspension } from '@toolgen/runtime/agents'
import { type Print, printEnd, printEvent, printWait } from './transcript.js'

/** Participants and settings of a conversation. */
export interface Conversation {
  readonly support: BoundAgent<HasApproval>
  /** Called for each pending call. */
  readonly decide: () => PendingAnswer
  readonly print: Print
  readonly config: RunConfig
}

/** No person can answer during a run, so calls that need an approval are suspended. */
const env: HasApproval = { approval: { approve: async () => 'suspend' } }

/** Runs a conversation to its end. Answers each suspension and resumes the run. */
export async function converse(question: string, { support, decide, print, config }: Conversation): Promise<AgentRun> {
  const options = { env, config, deepTracing: true }
  print(`Customer: ${question}\n`)
  let run = await told(support.run(question, options), print)
  while (run.suspension !== undefined) {
    // A real application stores this text in a database until a person has decided.
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
