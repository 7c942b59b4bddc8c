import type { RunEvent, ToolOutcome } from '@toolgen/runtime'
import type { AgentRun, PendingAnswer, PendingCall } from '@toolgen/runtime/agents'

/** Prints one line. */
export type Print = (line: string) => void

/** Prints calls with their agents, outcomes of calls, and handoffs between agents. */
export function printEvent(event: RunEvent, print: Print): void {
  const margin = event.parentToolCallId === undefined ? '' : '    '
  if (event.type === 'call_started') print(`${margin}${event.agent} calls ${event.call.tool} ${event.arguments}`)
  if (event.type === 'call_ended') print(`${margin}  ${event.call.tool} ${cameTo(event.outcome)}`)
  if (event.type === 'handoff') print(`  ${event.fromAgent} → ${event.toAgent}: ${event.reason}`)
}

function cameTo(outcome: ToolOutcome): string {
  if (outcome.status === 'completed') return `answers ${outcome.json}`
  return outcome.status === 'failed' ? `fails: ${outcome.hint.message}` : 'waits'
}

/** Prints a pending call and its answer. */
export function printWait({ id, agent, prompt }: PendingCall, answer: PendingAnswer, print: Print): void {
  print(`\nThe run waits for ${agent}, at ${id}: ${prompt}`)
  print(`The clerk says: ${typeof answer === 'string' ? answer : JSON.stringify(answer)}\n`)
}

/** Prints the end of a run, with its usage including nested runs. */
export function printEnd({ status, stop, result, error, usage }: AgentRun, print: Print): void {
  print(`\nAnswer: ${result?.text ?? error?.message ?? stop.reason}`)
  print(
    `\nThe run ${status} after ${usage.turns} turns and ${usage.toolCalls} calls of support, ` +
      `with ${usage.promptTokens} + ${usage.completionTokens} tokens.`,
  )
}
