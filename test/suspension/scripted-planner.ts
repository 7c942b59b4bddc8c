import {
  answer,
  ask,
  callTools,
  type Decision,
  type Planner,
  type PlanRequest,
} from '../../packages/runtime/src/agents.js'
import { type ChatMessage, validateHistory } from '../../packages/runtime/src/chat.js'
import type { JsonValue, ToolCall, ToolOutcome } from '../../packages/runtime/src/index.js'
import type { PlannedCall, Script } from './scenario.js'
import { replyTo, type World } from './world.js'

/** Usage of every decision. */
export const COST = { promptTokens: 10, completionTokens: 1 } as const

/** Follows the script that the first message names. It keeps no state outside the request, so that any process can continue. */
export function scriptedPlanner(world: World): Planner {
  return (request) => {
    const id = userTexts(request.messages)[0] ?? ''
    world.decide(id, `turn ${request.turn}`)
    for (const { code, message } of validateHistory(request.messages)) {
      world.faults.push(`the planner of ${id} sees a history with ${code}: ${message}`)
    }
    if (request.outcomes.some(({ status }) => status === 'suspended')) {
      world.faults.push(`the planner of ${id} sees a call that waits`)
    }
    return { ...decide(world, id, request), usage: COST }
  }
}

function decide(world: World, id: string, request: PlanRequest): Decision {
  const script = world.scenario.scripts.get(id)
  if (script === undefined) throw new Error(`the scenario has no script '${id}'`)
  const steps = world.atOnce ? script.steps.filter(({ kind }) => kind === 'calls') : script.steps
  const step = request.tools.length === 0 ? undefined : steps[request.turn - 1]
  if (step?.kind === 'ask') return ask(step.question)
  if (step !== undefined) return callTools(...step.calls.map((call) => calling(call, request.meta.agent)))
  if (request.responseFormat === undefined && script.ends === 'calls') return answer('See the calls.')
  if (request.responseFormat === undefined && script.ends === 'prose') return answer(`All about ${id}.`)
  const questions = script.steps.flatMap((each) => (each.kind === 'ask' ? [each.question] : []))
  const replies = world.atOnce ? knownReplies(script, request) : repliesTo(questions, request.messages)
  return answer({ id, seen: request.outcomes.map(digest), replies })
}

/** Returns the replies that the user would have given so far. */
function knownReplies({ steps }: Script, { tools, responseFormat: form, turn }: PlanRequest): readonly string[] {
  const isCutShort = tools.length === 0 && form === undefined
  let called = 0
  return steps.flatMap((step) => {
    if (step.kind === 'calls') called += 1
    return step.kind === 'ask' && (!isCutShort || called < turn - 1) ? [replyTo(step.question)] : []
  })
}

function calling({ id, toolCallId, work }: PlannedCall, agent: string): ToolCall {
  const call = {
    tool: work === 'nested' ? `${agent}-team.work` : `${agent}-desk.act`,
    arguments: work === 'lacking' ? `{"note":${JSON.stringify(id)}}` : `{"id":${JSON.stringify(id)}}`,
  }
  return toolCallId === undefined ? call : { ...call, toolCallId }
}

/** Returns the parts of an outcome that do not depend on the time of the answers. */
export function digest(outcome: ToolOutcome): JsonValue {
  if (outcome.status === 'completed') return JSON.parse(outcome.json)
  return outcome.status === 'failed' ? outcome.hint.reason : 'suspended'
}

function userTexts(messages: readonly ChatMessage[]): readonly string[] {
  return messages.flatMap(({ role, content }) => (role === 'user' && typeof content === 'string' ? [content] : []))
}

/** Returns the user messages directly after these questions. */
function repliesTo(questions: readonly string[], messages: readonly ChatMessage[]): readonly string[] {
  return questions.flatMap((question) => {
    const index = messages.findIndex(({ role, content }) => role === 'assistant' && content === question)
    const reply = index < 0 ? undefined : messages[index + 1]
    return reply?.role === 'user' && typeof reply.content === 'string' ? [reply.content] : []
  })
}
