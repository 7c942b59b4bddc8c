import type { ToolCall } from '../types/call.js'
import type { CallOptions } from '../types/call-options.js'
import type { Mutable } from '../types/json.js'
import type { MetaField, ServerOwnedField, ToolCallMeta } from '../types/tool.js'
import type { Abortable, RunningCall } from './running-call.js'

/** What the runtime itself knows of a call. */
interface KnownMeta {
  readonly toolCallId: string
  readonly agent: string | undefined
  readonly running: RunningCall
}

/**
 * The meta of a call's first attempt, frozen: adapters and executors see it too. What the call says of its parent goes
 * before what the options say.
 */
export function callMeta(call: ToolCall<unknown, MetaField>, options: CallOptions, known: KnownMeta): ToolCallMeta {
  const { runId, sessionId, turnId, deadline, labels } = options
  const parentToolCallId = call.parentToolCallId ?? options.parentToolCallId
  const meta = openMeta(known.running, known.toolCallId, labels ?? NO_LABELS)
  if (known.agent !== undefined) meta.agent = known.agent
  if (runId !== undefined) meta.runId = runId
  if (sessionId !== undefined) meta.sessionId = sessionId
  if (turnId !== undefined) meta.turnId = turnId
  if (parentToolCallId !== undefined) meta.parentToolCallId = parentToolCallId
  if (deadline !== undefined) meta.deadline = deadline
  return closedMeta(meta)
}

const NO_LABELS: ToolCallMeta['labels'] = Object.freeze({})

/** The value of a meta field; absent where the caller gave none. */
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

/** The meta fields that a tool's server-owned fields need and the caller did not give, each once. */
export function missingMeta(fields: readonly ServerOwnedField[], meta: ToolCallMeta): readonly MetaField[] {
  const missing = fields.map((field) => field.from).filter((from) => metaValue(meta, from) === undefined)
  return [...new Set(missing)]
}

/** The fields of a meta beside its signal. */
type MetaFields = Omit<ToolCallMeta, 'signal'>

/** The fields of a meta while they are filled in. */
type OpenMeta = Mutable<MetaFields>

/**
 * A meta with the signal of its call, which is made only when somebody asks for it. One getter serves all metas: a
 * getter of its own would cost each call more than the rest of it.
 */
class LazySignal implements MetaFields {
  readonly toolCallId: string
  readonly labels: MetaFields['labels']
  readonly attempt = 1
  readonly #running: RunningCall

  static readonly descriptor: PropertyDescriptor = {
    get(this: LazySignal): AbortSignal {
      return this.#running.signal
    },
    enumerable: true,
  }

  /** Whether a meta is the first one of its call; a copy has the signal as an ordinary value. */
  static isFirst(meta: MetaFields): boolean {
    return #running in meta
  }

  constructor(running: RunningCall, toolCallId: string, labels: MetaFields['labels']) {
    this.#running = running
    this.toolCallId = toolCallId
    this.labels = labels
  }
}

/** The meta of a call's first attempt, still to be filled. */
function openMeta(running: RunningCall, toolCallId: string, labels: MetaFields['labels']): OpenMeta {
  return new LazySignal(running, toolCallId, labels)
}

/** Ends the filling: a frozen meta with the signal of its call. A copy of the meta has the signal as an ordinary value. */
function closedMeta(meta: OpenMeta): ToolCallMeta {
  return Object.freeze(Object.defineProperty(meta, 'signal', LazySignal.descriptor)) as ToolCallMeta
}

/** What may end an attempt early: the call itself, or the signal that a layer gave to its copy of the meta. */
export function limitOf(meta: ToolCallMeta, running: RunningCall): Abortable {
  if (LazySignal.isFirst(meta)) return running
  const own = Object.getOwnPropertyDescriptor(meta, 'signal')
  return own?.value instanceof AbortSignal ? abortable(own.value) : running
}

function abortable(signal: AbortSignal): Abortable {
  return {
    get aborted() {
      return signal.aborted ? { reason: signal.reason } : undefined
    },
    whenAborted: (action) => {
      const listener = (): void => action(signal.reason)
      signal.addEventListener('abort', listener)
      return () => signal.removeEventListener('abort', listener)
    },
  }
}
