import { storedOutcome } from '../agents/stored-outcome.js'
import { readCall, resolveOptions } from '../call/call-target.js'
import { startCall } from '../call/execute.js'
import { runConfig } from '../call/run-config.js'
import { notSuspended } from '../sessions/streaming-call.js'
import type { RunEvent } from '../types/run.js'
import { type DurableAgents, unknownOutcomeOf } from './durable-agents.js'
import { Attempt, durableRun, requireVersion, sessionOf } from './durable-run.js'
import type { DurableCall, DurableCallResult, DurableInput, DurableInvocation, DurableResult } from './engine.js'
import { Journal } from './journal.js'
import { journalRedaction } from './journal-redaction.js'
import { toolsOfSession } from './session-object.js'

/**
 * Executes one attempt of an invocation: a run, or a call of a session. After a crash, engines call this function again with the same input. If the
 * invocation belongs to a session, sends the results to the session.
 *
 * @returns the result of the run or call, even if the run or call failed or was cancelled
 * @throws {DurableError} `journal_mismatch` if the journal does not match the code, `newer_version` if a newer version of this package wrote the
 * journal, `unknown_agent` if the agent is not in `agents`.
 *
 * @example
 * const handler = (context: EngineContext, input: DurableInput | DurableCall) => runInvocation(invocationOf(context), agents, input)
 */
export async function runInvocation(
  invocation: DurableInvocation,
  agents: DurableAgents,
  input: DurableInput | DurableCall,
): Promise<DurableResult | DurableCallResult> {
  if ('callId' in input) return sessionCall(invocation, agents, input)
  const result = await durableRun(invocation, agents, input)
  const { sessionId, userId, parent } = input
  if (sessionId !== undefined && userId !== undefined && parent === undefined) {
    const { messages, sensitive } = result
    const ended = { kind: 'run ended', runId: invocation.id, messages } as const
    invocation.tell(sessionId, sensitive === undefined ? ended : { ...ended, sensitive })
  }
  return result
}

async function sessionCall(
  invocation: DurableInvocation,
  agents: DurableAgents,
  input: DurableCall,
): Promise<DurableCallResult> {
  requireVersion(input, invocation)
  const { sessionId, userId, namespaces, callId, turnId, labels, data, sensitive } = input
  const { toolCallId = callId, ...others } = readCall(input.call)
  const call = { ...others, toolCallId }
  const tools = toolsOfSession(agents, namespaces)
  const found = tools.find(call.tool)
  const isStreaming = found?.served.tool.updates !== undefined
  const target = found?.target ?? tools.unknownTarget
  const facts = {
    agent: target.agent?.name ?? namespaces[0] ?? '',
    sessionId,
    userId,
    ...(turnId !== undefined && { turnId }),
    ...(labels !== undefined && { labels }),
    ...(data !== undefined && { data }),
  }
  const toSession = (_position: number, events: readonly RunEvent[]): void => {
    const updates = events.flatMap((event) =>
      event.type === 'call_updated' && event.call.toolCallId === toolCallId && event.runId === invocation.id
        ? [{ index: event.index, update: event.update }]
        : [],
    )
    if (updates.length > 0) invocation.tell(sessionId, { kind: 'updates', callId, updates })
  }
  const session = sessionOf(input)
  const redaction = journalRedaction(target.context, invocation.id, sessionId)
  const journal = new Journal(withPublish(invocation, toSession), {
    runId: invocation.id,
    eventsBefore: 0,
    table: target.table,
    unknownOutcome: (tool) => {
      const reaction = unknownOutcomeOf(agents, tool)
      // Nobody can answer a call outside a run.
      return reaction === 'ask' ? 'fail' : reaction
    },
    collects: false,
    session,
    redaction,
    streams: isStreaming,
  })
  const attempt = new Attempt(journal, agents, { version: 1, ...facts }, { approvals: session?.approvals, redaction })
  const execute = async (): Promise<DurableCallResult> => {
    if (sensitive !== undefined) await redaction?.restore({ sensitive })
    const env = await journal.env(() => agents.env?.(facts))
    await journal.start()
    journal.addCalls([toolCallId])
    const journaled = target.withContext(attempt.context(target.context))
    const options = resolveOptions({
      ...{ runId: invocation.id, sessionId, turnId, labels, signal: invocation.signal, env },
      config: runConfig().layer(journal.layer(journaled)),
      onEvent: (event: RunEvent) => journal.receive(event),
    })
    const reached = await startCall(journaled, call, { ...options, approvals: session?.approvals })
    const outcome = found && isStreaming ? notSuspended(reached, found.served.tool, call.arguments) : reached
    journal.publish()
    const stored = storedOutcome(target.table, outcome)
    invocation.tell(sessionId, { kind: 'call ended', callId, outcome: stored })
    return JSON.parse(JSON.stringify({ version: 1, outcome: stored }))
  }
  return journal.whileFitting(execute())
}

function withPublish(invocation: DurableInvocation, publish: DurableInvocation['publish']): DurableInvocation {
  const { id, attempt, signal } = invocation
  return {
    ...{ id, attempt, signal, publish },
    step: (name, work) => invocation.step(name, work),
    sleep: (milliseconds) => invocation.sleep(milliseconds),
    answer: (suspension) => invocation.answer(suspension),
    invoke: (agent, childId, input) => invocation.invoke(agent, childId, input),
    cancel: (childId) => invocation.cancel(childId),
    tell: (sessionId, message) => invocation.tell(sessionId, message),
  }
}
