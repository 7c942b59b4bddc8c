import type { ToolCallRef } from '../types/call.js'
import type { CallOptions } from '../types/call-options.js'
import type { Mutable } from '../types/json.js'
import type { MetaField, ServerOwnedField, ToolCallMeta } from '../types/tool.js'

/** Parts of a call that its meta is made of. */
interface CallFacts {
  readonly ref: ToolCallRef
  readonly agent: { readonly name: string } | undefined
  readonly options: CallOptions
  readonly signal: AbortSignal
}

/** Returns the frozen meta of a call's first attempt. The parent of the call itself precedes that of the options. */
export function callMeta(call: CallFacts): ToolCallMeta {
  const { ref, agent, options } = call
  const { runId, sessionId, turnId, deadline, labels } = options
  const meta: Mutable<Omit<ToolCallMeta, 'signal'>> = new LazySignal(call, ref.toolCallId, labels ?? NO_LABELS)
  if (agent !== undefined) meta.agent = agent.name
  if (runId !== undefined) meta.runId = runId
  if (sessionId !== undefined) meta.sessionId = sessionId
  if (turnId !== undefined) meta.turnId = turnId
  if (ref.parentToolCallId !== undefined) meta.parentToolCallId = ref.parentToolCallId
  if (deadline !== undefined) meta.deadline = deadline
  return Object.freeze(Object.defineProperty(meta, 'signal', LazySignal.descriptor)) as ToolCallMeta
}

const NO_LABELS: ToolCallMeta['labels'] = Object.freeze({})

/** A meta whose signal is created on demand. All share one getter: a getter of its own costs more than the rest of a call. */
class LazySignal implements Omit<ToolCallMeta, 'signal'> {
  readonly toolCallId: string
  readonly labels: ToolCallMeta['labels']
  readonly attempt = 1
  readonly #call: CallFacts

  static readonly descriptor: PropertyDescriptor = {
    get(this: LazySignal): AbortSignal {
      return this.#call.signal
    },
    enumerable: true,
  }

  constructor(call: CallFacts, toolCallId: string, labels: ToolCallMeta['labels']) {
    this.#call = call
    this.toolCallId = toolCallId
    this.labels = labels
  }
}

/** Returns the value of a meta field; `undefined` if the caller passed none. */
export function metaValue(meta: ToolCallMeta, field: MetaField): string | undefined {
  switch (field) {
    case 'runId':
    case 'sessionId':
    case 'turnId':
    case 'toolCallId':
    case 'parentToolCallId':
      return meta[field]
    default: {
      const label = field.slice('labels.'.length)
      return Object.hasOwn(meta.labels, label) ? meta.labels[label] : undefined
    }
  }
}

/** Returns the meta fields that a tool's server-owned fields need and the caller did not pass, each once. */
export function missingMeta(fields: readonly ServerOwnedField[], meta: ToolCallMeta): readonly MetaField[] {
  const missing = fields.map((field) => field.from).filter((from) => metaValue(meta, from) === undefined)
  return [...new Set(missing)]
}
