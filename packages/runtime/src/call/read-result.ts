import { payloadCodec, resultCodec } from '../codec/codecs.js'
import { parsePointer, pointerOf } from '../schema/json-pointer.js'
import { isContainer } from '../schema/json-values.js'
import { nearestNames } from '../schema/nearest.js'
import type { Codec } from '../types/codec.js'
import type { ToolExecutor } from '../types/executor.js'
import type { JsonValue } from '../types/json.js'
import type { AgentToolSpec } from '../types/tool.js'
import { BindingError } from './binding-error.js'
import type { BoundTool } from './bound-tools.js'
import { toolSpec } from './descriptors.js'
import { nestedRunContext } from './nested-run.js'
import { type ServedTool, servedTool } from './served-tool.js'
import { parsed, READ_RESULT, readSlice } from './shortened-outcome.js'
import { ToolFailure } from './tool-failure.js'

/** Compares objects, because a tool of the application can have the same id. */
export function isReadResult(tool: BoundTool | AgentToolSpec): boolean {
  return tool === created || tool === created?.spec
}

export function withReadResult(served: readonly ServedTool[]): readonly ServedTool[] {
  if (!served.some(({ tool }) => tool.spec.maxResult !== undefined)) return served
  const other = served.find(({ tool }) => tool.spec.toolName === READ_RESULT)?.tool
  if (other === undefined) return [...served, servedTool(readResultTool(), (service) => service)]
  const { id, spec } = other
  const message = `'${id}' has the tool name '${READ_RESULT}', which the runtime uses for tools with a \`maxResult\`. Rename it with \`rename\`.`
  const toolset = id.slice(0, -spec.name.length - 1)
  throw new BindingError(`tool '${id}'`, [{ code: 'duplicate_tool_name', toolset, tool: spec.name, message }])
}

export function withReadResultSpec(specs: readonly AgentToolSpec[]): readonly AgentToolSpec[] {
  const isNeeded = specs.some(({ maxResult }) => maxResult !== undefined)
  return isNeeded ? Object.freeze([...specs, readResultTool().spec]) : specs
}

const ID = `toolgen.${READ_RESULT}` as const

/** Created at the first use, because most applications do not need this tool. */
let created: BoundTool | undefined

function readResultTool(): BoundTool {
  created ??= createTool()
  return created
}

function createTool(): BoundTool {
  const payload: Codec<never, unknown> = payloadCodec({ schema: argumentsSchema })
  const result: Codec<any, unknown> = resultCodec({ schema: {}, unknown: 'keep' }) // `any`: parts of any result
  const own = toolSpec(
    {
      id: ID,
      toolName: READ_RESULT,
      title: 'Read result',
      description:
        'Reads more of a result that was too long. Such a result has `cut` (the shortened parts: JSON Pointer, number of shown items, total), `more` (calls that read on) and `result`. Copy the arguments from `more`.',
      annotations: { readOnly: true, idempotent: true },
      examples: [],
      hash: '',
    },
    payload,
    result,
  )
  const spec: AgentToolSpec = Object.freeze({ ...own, provider: 'function', qualifiedId: `function.${ID}` })
  return {
    id: ID,
    spec,
    toolsetDescription: 'Reads results that were too long.',
    payload,
    result,
    updates: undefined,
    serverOwned: [],
    executor,
    payloadAdapter: undefined,
    resultAdapter: undefined,
    decodeInExecutor: false,
    check: undefined,
    examples: { valid: () => [], created: () => undefined },
    hints: { call: undefined, result: undefined },
    telemetryBuilder: undefined,
    keepsPseudonyms: false,
    sensitive: undefined,
  }
}

const argumentsSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Id of the result, from `more`.' },
    pointer: {
      type: 'string',
      default: '',
      description:
        'JSON Pointer of an array, object or string in the result, e.g. `/items`. Default: the whole result.',
    },
    offset: {
      type: 'integer',
      minimum: 0,
      default: 0,
      description: 'Number of items, properties or characters to skip. Default: 0.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      description: 'Maximum number of items, properties or characters to return. Default: as many as fit.',
    },
  },
  required: ['id'],
  additionalProperties: false,
}

interface Arguments {
  readonly id: string
  readonly pointer: string
  readonly offset: number
  readonly limit?: number
}

const executor: ToolExecutor = {
  async execute(request) {
    const { id, pointer, offset, limit } = (await request.payload()) as Arguments
    const { results, resultScope } = nestedRunContext(request)
    const kept = results.read(resultScope, id)
    if (kept === undefined) {
      const message = `There is no kept result ${JSON.stringify(id)}. Results are removed after some time, and when the application restarts. Call the tool again that returned it.`
      throw new ToolFailure(message, { action: 'replan' })
    }
    const value = valueAt(parsed(kept.json), pointer)
    const count = limit ?? Number.POSITIVE_INFINITY
    const { text, parts } = readSlice(value, kept.max, { id, pointer, offset, count })
    const [own] = parts
    if (own?.pointer === pointer && own.shown === 0) {
      const message = `The next part of ${JSON.stringify(pointer)} at offset ${offset} is too large to be shown. Continue with offset ${offset + 1}.`
      throw new ToolFailure(message, { action: 'correct_call' })
    }
    return JSON.parse(text)
  },
}

function valueAt(root: JsonValue, pointer: string): JsonValue {
  const path = parsePointer(pointer)
  if (path === undefined) {
    throw new ToolFailure(
      `${JSON.stringify(pointer)} is not a JSON Pointer. Write e.g. "/items/0", or "" for the whole result.`,
      {
        action: 'correct_call',
      },
    )
  }
  let value = root
  for (const [index, segment] of path.entries()) {
    const next = childOf(value, segment)
    if (next === undefined) throw noSuchPart(value, path.slice(0, index), segment, pointer)
    value = next
  }
  return value
}

function childOf(value: JsonValue, segment: string): JsonValue | undefined {
  if (!isContainer(value)) return undefined
  if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(segment)) return undefined
  return Object.hasOwn(value, segment) ? (Reflect.get(value, segment) as JsonValue) : undefined
}

function noSuchPart(value: JsonValue, path: readonly string[], segment: string, pointer: string): ToolFailure {
  const [near] = isContainer(value) && !Array.isArray(value) ? nearestNames(segment, Object.keys(value), 1) : []
  const nearest = JSON.stringify(pointerOf(near === undefined ? path : [...path, near]))
  const advice =
    near !== undefined
      ? `Did you mean ${nearest}?`
      : Array.isArray(value)
        ? `${nearest} is an array with ${value.length} items.`
        : `The nearest existing part is ${nearest}.`
  return new ToolFailure(`The result has no part ${JSON.stringify(pointer)}. ${advice}`, { action: 'correct_call' })
}
