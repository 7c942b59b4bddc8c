import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/server'
import type { BoundTools } from '../call/bound-toolset.js'
import type { ResolvedOptions } from '../call/call-target.js'
import { answerCall, continueCall } from '../call/execute.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { McpAnswer, McpQuestion } from '../types/elicitation.js'
import type { JsonObject } from '../types/json.js'
import type { CallSuspension, PendingAnswer, PendingCall, ToolOutcome } from '../types/outcome.js'
import type { ServedClient } from './served-client.js'

/** Part of a suspension that a person must answer. */
type Waiting = Pick<PendingCall, 'kind' | 'call' | 'arguments' | 'prompt' | 'question'>

/**
 * Asks the user of the client what a suspended call waits for, and continues the call, until it has ended. Returns the suspended outcome if
 * the client cannot ask its user, or if the call waits for an external result. The questions of parallel calls are asked together.
 *
 * @throws {ToolFailure} if the user does not answer the question of an agent
 * @throws {Error} if the client does not answer in time, or sends an invalid answer
 */
export async function answeredByClient(
  outcome: ToolOutcome,
  { target }: BoundTools<any>, // `any`: the `env` is in the options
  client: ServedClient,
  options: ResolvedOptions,
): Promise<ToolOutcome> {
  let last = outcome
  while (last.status === 'suspended') {
    const { suspension } = last
    const waiting = waitingOf(suspension)
    if (!waiting.every(([, each]) => canAsk(client, each))) return last
    const read = await Promise.all(waiting.map(async ([id, each]) => [id, await ask(client, each)] as const))
    const answers: Readonly<Record<string, PendingAnswer>> = Object.fromEntries(read)
    last = await (suspension.nested === undefined && suspension.elicitation === undefined
      ? answerCall(target, suspension, answers.call === 'approve' ? 'approve' : 'deny', options)
      : continueCall(target, suspension, textOf(suspension, answers) ?? answers, options))
  }
  return last
}

/** Returns what a suspended call waits for, with the keys of the answers that `continueCall` expects. */
function waitingOf(suspension: CallSuspension): readonly (readonly [id: string, Waiting])[] {
  const { nested, elicitation } = suspension
  if (elicitation !== undefined)
    return Object.entries(elicitation.questions).map(([key, question]) => [key, { ...suspension, question }])
  if (nested === undefined || nested.pending.length === 0) return [['call', suspension]]
  return nested.pending.map((pending) => [pending.id, pending])
}

/** Returns the answer to a question that the nested agent itself asks; `undefined` for other suspensions. */
function textOf({ nested }: CallSuspension, { call }: Readonly<Record<string, PendingAnswer>>): string | undefined {
  return nested?.pending.length === 0 && typeof call === 'object' && 'text' in call ? call.text : undefined
}

function canAsk({ capabilities: { elicitation } }: ServedClient, { kind, question }: Waiting): boolean {
  if (elicitation === undefined || kind === 'external') return false
  return question?.mode === 'url'
    ? elicitation.url !== undefined
    : elicitation.form !== undefined || elicitation.url === undefined
}

async function ask(client: ServedClient, waiting: Waiting): Promise<PendingAnswer> {
  const { kind, call, arguments: sent, prompt, question } = waiting
  if (question !== undefined) return answerTo(await client.elicit(requestOf(question)))
  if (kind === 'approval') {
    const message = prompt ?? `Allow the tool '${call.tool}' to run with the arguments ${sent}?`
    const { action } = await client.elicit({ message, requestedSchema: { type: 'object', properties: {} } })
    return action === 'accept' ? 'approve' : 'deny'
  }
  const { action, content } = await client.elicit({
    message: prompt ?? `The tool '${call.tool}' needs an answer.`,
    requestedSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
  })
  if (action !== 'accept') throw new ToolFailure('The user did not answer the question.', { reason: 'denied' })
  return { text: String(content?.answer) }
}

function requestOf(question: McpQuestion): Parameters<ServedClient['elicit']>[0] {
  if (question.mode === 'url') return question
  // The schema was validated as a form when the server asked.
  const requestedSchema = question.schema as unknown as ElicitRequestFormParams['requestedSchema']
  return { message: question.message, requestedSchema }
}

function answerTo({ action, content }: ElicitResult): McpAnswer {
  return action === 'accept' ? { action, content: { ...content } as JsonObject } : { action }
}
