import type { CallTarget, ResolvedOptions } from '../call/call-target.js'
import type { EventScope } from '../call/events.js'
import type { ParentRun } from '../call/nesting.js'
import { ToolFailure } from '../call/tool-failure.js'
import { isConversation } from '../chat/messages.js'
import { isFields } from '../schema/json-values.js'
import type { AgentDescriptor } from '../types/agent.js'
import type { ChatFields, ChatMessage } from '../types/chat.js'
import type { RunSuspension } from '../types/outcome.js'
import type { Planner, RunMeta } from '../types/planner.js'
import type { AgentRun, EventSink, RunInput, RunPolicy, RunUsage, StopCondition } from '../types/run.js'
import type { ItemLog } from './event-log.js'
import type { LoopRun } from './loop.js'
import type { RunSignal } from './run-signal.js'

/** An agent that can be run. */
export interface RunnableAgent {
  readonly descriptor: AgentDescriptor
  readonly target: CallTarget
  readonly planner: Planner
  /** The policies of the design and of the binding, joined. */
  readonly policy: RunPolicy
  /** What ends its runs beside the policy, the most severe first. */
  readonly guards: readonly StopCondition[]
  /** Its own, which hear its runs wherever these are beneath; those of the target are these with those of the runtime. */
  readonly sinks: readonly EventSink[]
}

/** What a run begins with. */
export type RunBeginning =
  | { readonly kind: 'input'; readonly input: GivenInput }
  | { readonly kind: 'suspension'; readonly suspension: RunSuspension; readonly answers: unknown }

/** What a run that serves a call of another agent takes over, and gives back. */
export interface NestedRunOptions {
  readonly parent: ParentRun
  readonly askAgain: LoopRun['askAgain']
  /** Receives a function that says how far the run has come, also where the call ends before it. */
  readonly observe: (progress: () => ServingRun) => void
}

/** The facts of a run that belong to the call which it serves. */
export interface ServingRun extends Pick<AgentRun, 'runId' | 'agent' | 'outcomes'> {
  readonly usage: Pick<RunUsage, 'turns' | 'promptTokens' | 'completionTokens' | 'model'>
}

/** One run: what its caller said, and what it made of that. */
export interface RunParts {
  readonly options: ResolvedOptions
  readonly meta: RunMeta
  readonly policy: RunPolicy
  readonly signal: RunSignal
  readonly events: EventScope
  readonly items: ItemLog
  /** Present for a run that serves a call of another agent. */
  readonly beneath: NestedRunOptions | undefined
}

/** What a run begins with, read once. */
interface GivenInput {
  readonly messages: readonly ChatMessage[]
  /** Absent where the caller set none. */
  readonly fields?: ChatFields
}

/**
 * The caller's own input as it is now: which messages there are, their fields, and the other fields of a request. What the
 * caller changes later is not seen, but within the parts of a content.
 *
 * @throws {ToolFailure} when the input is neither text, nor a list of messages, nor a chat request; what reading it throws.
 */
export function givenInput(input: RunInput): GivenInput {
  if (typeof input === 'string') return { messages: [{ role: 'user', content: input }] }
  if (isConversation(input)) return { messages: own(input) }
  if (!isFields(input) || !isConversation(input.messages)) {
    throw wrong('the input of a run: a text, a list of chat messages, or a chat request with `messages`')
  }
  const { messages, ...fields } = input
  return Object.keys(fields).length === 0
    ? { messages: own(messages) }
    : { messages: own(messages), fields: ownFields(fields) }
}

/** The conversation that a run begins with: the agent's instructions first, unless the conversation has some already. */
export function runInput({ messages, ...rest }: GivenInput, instructions: string | undefined): GivenInput {
  const first = messages[0]?.role
  if (instructions === undefined || first === 'system' || first === 'developer') return { messages, ...rest }
  const told: ChatMessage = { role: 'system', content: instructions }
  return { messages: Object.freeze([Object.freeze(told), ...messages]), ...rest }
}

/** Copies, so that neither the caller nor a planner changes the messages of the other. */
function own(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return Object.freeze(messages.map((message) => Object.freeze({ ...message })))
}

/** A copy by way of JSON: a request is sent as JSON, and a run that waits is stored as JSON. */
function ownFields(fields: ChatFields): ChatFields {
  const entries = Object.entries(fields).flatMap(([name, field]) => {
    if (field === undefined) return []
    const json = jsonText(field)
    if (json === undefined) throw wrong(`the field '${name}' of the chat request as JSON`)
    return [[name, JSON.parse(json)] as const]
  })
  return Object.freeze(Object.fromEntries(entries))
}

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // A bigint, a cycle, a hostile getter: no JSON.
    return undefined
  }
}

function wrong(expected: string): ToolFailure {
  return new ToolFailure(`The caller of this run must give ${expected}.`, { reason: 'internal', action: 'finish' })
}
