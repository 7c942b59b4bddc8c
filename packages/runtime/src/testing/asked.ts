import { createHash } from 'node:crypto'
import { deepEqual, equalityKey } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { ToolRequest } from '../types/layer.js'
import type { ModelRequest } from '../types/planner.js'
import type { AgentToolSpec } from '../types/tool.js'
import type { Asked, RecordedModelRequest, RecordedToolCall } from './exchanges.js'

/** What a model is asked, as it is recorded: a copy, as JSON carries it. */
export function askedModel({ messages, tools, meta, responseFormat, fields }: ModelRequest): RecordedModelRequest {
  const offered = tools.map((tool) => [tool.toolName, { tool: tool.id, hash: hashOf(tool) }] as const)
  const request = {
    messages,
    tools: Object.fromEntries(offered),
    ...(responseFormat !== undefined && { responseFormat }),
    ...(fields !== undefined && { fields }),
  }
  return { type: 'model', agent: meta.agent, request: JSON.parse(JSON.stringify(request)) }
}

/** A call of a tool, as it is recorded. */
export function calledTool(request: Pick<ToolRequest, 'tool' | 'meta' | 'arguments' | 'answer'>): RecordedToolCall {
  const { tool, meta, arguments: json, answer } = request
  return {
    type: 'tool',
    ...(meta.agent !== undefined && { agent: meta.agent }),
    tool: tool.id,
    hash: hashOf(tool),
    arguments: json,
    ...(answer !== undefined && { resumedWith: answer }),
  }
}

/**
 * A text that exchanges share that ask for the same. It is all there is to compare of a call; of a request, whose
 * conversation may be long, it is the end.
 */
export function askedKey(asked: Asked): string {
  if (asked.type === 'model') {
    const { messages } = asked.request
    return equalityKey(['model', asked.agent, messages.length, messages.at(-1) ?? null])
  }
  const { agent = null, tool, hash, resumedWith = null } = asked
  return equalityKey(['tool', agent, tool, hash, argumentsOf(asked), resumedWith])
}

/** Whether two exchanges with one key ask for the same. */
export function asksTheSame(recorded: Asked, now: Asked): boolean {
  return recorded.type !== 'model' || now.type !== 'model' || deepEqual(recorded.request, now.request)
}

/** The arguments of a call to be compared: white space and the order of keys are nothing, unless they are no JSON. */
export function argumentsOf({ arguments: json }: RecordedToolCall): unknown {
  const parsed = parseJson(json)
  return parsed.ok ? parsed.value : json
}

/** Hand-written tools have no hash of their own: then it is of what a model reads and of what is checked. */
function hashOf({ hash, description, arguments: parameters, result, updates }: AgentToolSpec): string {
  if (hash !== '') return hash
  const contract = equalityKey([description, parameters, result, updates ?? null])
  return createHash('sha256').update(contract).digest('hex').slice(0, 16)
}
