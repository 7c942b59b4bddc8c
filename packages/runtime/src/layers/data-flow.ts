import { CallRequest } from '../call/call-request.js'
import { outcomeSources } from '../call/data-sources.js'
import { joinedReads } from '../call/provenance.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { HasApproval } from '../types/call-options.js'
import type { ToolLayer, ToolRequest, ToolService } from '../types/layer.js'
import type { DataFlow, DataSource, ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, ReadLabel, ToolCallMeta, WriteLabel } from '../types/tool.js'
import { approvalLayer } from './approval.js'

/** Call that the option `policy` of `dataFlow` checks, with the kinds of data that the run has already read. */
export interface DataFlowCall extends DataFlow {
  /** Spec of the called tool: its id, labels and annotations. */
  readonly tool: AgentToolSpec
  /** Decoded arguments: valid, with defaults, and without the fields that only the runtime sets. */
  readonly arguments: unknown
  /** Ids of the call, its run and its session. */
  readonly meta: ToolCallMeta
}

/** Options for `dataFlow`: the reaction to a call, and the policy. */
export interface DataFlowOptions {
  /**
   * Reaction to a call for which `policy` returns true. `approval`: the layer asks `env.approval`. `deny`: the call fails with the reason
   * `denied` and a text for the model. Default: `approval`.
   */
  readonly on?: 'approval' | 'deny'
  /**
   * Returns true if the reaction `on` applies to a call. The layer calls the function for each call with valid arguments. If the function
   * throws, the call fails. By default, the reaction applies to tools with a label in `writes`, such as `external`, if the run has read both
   * private data and untrusted text.
   */
  readonly policy?: (call: DataFlowCall) => boolean | Promise<boolean>
}

/**
 * Asks for an approval of a dangerous call, or denies the call. A call is dangerous if two conditions are met: the run has read both private data and
 * untrusted text, and the called tool can send data to outsiders or has an irreversible effect. The labels `reads` and `writes` of tools declare
 * these properties. The approver receives the labels and the calls that caused the labels. The layer considers all data that a run has read. These
 * data include the data of nested runs and code mode programs, the data before a suspension, and the data of earlier runs in the same conversation.
 *
 * To protect calls inside nested runs, attach the layer to the run configuration: `runConfig().layer(dataFlow())`. The layer does not
 * follow data through the model, and does not recognize untrusted text in messages of the user.
 *
 * @throws {TypeError} for an invalid option.
 *
 * @example
 * await support.run('Answer the open tickets.', { config: runConfig().layer(dataFlow({ on: 'deny' })) })
 */
export function dataFlow(options: DataFlowOptions & { readonly on: 'deny' }): ToolLayer
export function dataFlow(options?: DataFlowOptions): ToolLayer<HasApproval>
// `any`: only `approval` needs an `env`.
export function dataFlow(options: DataFlowOptions = {}): ToolLayer<any> {
  const { on = 'approval', policy } = options
  if (on !== 'approval' && on !== 'deny') throw new TypeError("dataFlow: `on` must be 'approval' or 'deny'")
  if (policy !== undefined && typeof policy !== 'function') throw new TypeError('dataFlow: `policy` must be a function')
  const calls = new ScopedSources()
  const asking = approvalLayer({
    isNeeded: async (_, request) => {
      const flow = await restrictedFlow(request, calls, policy)
      return flow === undefined ? false : { text: question(flow, request.tool), dataFlow: flow }
    },
  })
  return (next) => {
    const reaction = on === 'approval' ? asking(next) : denying(next, calls, policy)
    return async (request) => {
      const outcome = await (policy === undefined && !request.tool.writes?.length ? next(request) : reaction(request))
      calls.add(request, outcome)
      return outcome
    }
  }
}

function denying<E>(next: ToolService<E>, calls: ScopedSources, policy: DataFlowOptions['policy']): ToolService<E> {
  return async (request) => {
    const flow = await restrictedFlow(request, calls, policy)
    if (flow === undefined) return next(request)
    return request.fail(new ToolFailure(denial(flow, request.tool), { reason: 'denied' }))
  }
}

async function restrictedFlow(
  request: ToolRequest,
  calls: ScopedSources,
  policy: DataFlowOptions['policy'],
): Promise<DataFlow | undefined> {
  const { tool, answer, meta } = request
  // A call that was answered with a denial or a result does not run its tool.
  if (answer !== undefined && answer !== 'approve') return undefined
  const flow = flowOf(request, calls)
  if (policy === undefined) return flow.labels.length === ALL_READS ? flow : undefined
  const decoded = await request.decode()
  // The tool rejects invalid arguments.
  if (!decoded.ok) return undefined
  return (await policy({ ...flow, tool, arguments: decoded.value, meta })) ? flow : undefined
}

/** The labels `private` and `untrusted`. After a run has read both kinds of data, untrusted text can make the model disclose the private data. */
const ALL_READS = 2

function flowOf(request: ToolRequest, calls: ScopedSources): DataFlow {
  const run = request instanceof CallRequest ? request.execution.run : undefined
  const sources = [...(run?.parent.sources() ?? []), ...calls.of(request)]
  return Object.freeze({ labels: joinedReads(...sources.map(({ reads }) => reads)) ?? [], sources })
}

const MAX_SCOPES = 10_000

/**
 * Stores the calls that have read data. Each session, or each run without a session, has two lists: one for calls in runs, and one for calls outside
 * runs. A call outside runs uses both lists. A call in a run uses only the list of calls outside runs, because `parent.sources()` already returns the
 * other calls: the calls of the run and of the earlier conversation.
 */
class ScopedSources {
  readonly #scopes = new Map<string, readonly DataSource[]>()

  of(request: ToolRequest): readonly DataSource[] {
    const scope = scopeOf(request)
    if (scope === undefined) return []
    const scopes = isInRun(request) ? [scope] : [scope, ofRuns(scope)]
    return scopes.flatMap((each) => this.#scopes.get(each) ?? [])
  }

  add(request: ToolRequest, outcome: ToolOutcome): void {
    const ofRequest = outcome.provenance.reads === undefined ? undefined : scopeOf(request)
    if (ofRequest === undefined) return
    const scope = isInRun(request) ? ofRuns(ofRequest) : ofRequest
    const all = [...(this.#scopes.get(scope) ?? []), ...outcomeSources([outcome])]
    // One call for each combination of labels is sufficient.
    const different = new Map(all.map((source) => [`${source.tool} ${source.reads.join()}`, source]))
    this.#scopes.delete(scope)
    this.#scopes.set(scope, [...different.values()])
    const [oldest] = this.#scopes.keys()
    if (this.#scopes.size > MAX_SCOPES && oldest !== undefined) this.#scopes.delete(oldest)
  }
}

function isInRun(request: ToolRequest): boolean {
  return request instanceof CallRequest && request.execution.run !== undefined
}

function scopeOf({ meta: { sessionId, runId } }: ToolRequest): string | undefined {
  if (sessionId !== undefined) return `session ${sessionId}`
  return runId === undefined ? undefined : `run ${runId}`
}

function ofRuns(scope: string): string {
  return `runs of ${scope}`
}

function question(flow: DataFlow, tool: AgentToolSpec): string {
  return `${capitalized(readText(flow))}, and ${tool.id} ${effectText(tool)}.`
}

function denial(flow: DataFlow, tool: AgentToolSpec): string {
  return `Not allowed: ${readText(flow)}, and ${tool.id} ${effectText(tool)}. Do not repeat the call, and do not send the data in another way. Continue without it, or state which step is left.`
}

const READ_TEXTS: Readonly<Record<ReadLabel, string>> = { private: 'private data', untrusted: 'untrusted text' }

const MAX_LISTED = 3

function readText({ labels, sources }: DataFlow): string {
  const parts = labels.map((label) => {
    const tools = [...new Set(sources.filter(({ reads }) => reads.includes(label)).map(({ tool }) => tool))]
    const more = tools.length > MAX_LISTED ? ` and ${tools.length - MAX_LISTED} more` : ''
    return `${READ_TEXTS[label]} (${tools.slice(0, MAX_LISTED).join(', ')}${more})`
  })
  return parts.length === 0 ? 'a policy applies' : `this conversation has read ${parts.join(' and ')}`
}

const EFFECT_TEXTS: Readonly<Record<WriteLabel, string>> = {
  external: 'can send data to outsiders',
  irreversible: 'has an effect that cannot be undone',
}

function effectText({ writes = [] }: AgentToolSpec): string {
  return writes.length === 0 ? 'needs a check' : writes.map((label) => EFFECT_TEXTS[label]).join(' and ')
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
