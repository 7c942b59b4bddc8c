import {
  type Attributes,
  type AttributeValue,
  context,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Issue } from '../types/issue.js'
import type { JsonValue } from '../types/json.js'
import type { RunMeta } from '../types/planner.js'
import type { AgentRun, TracedCall, TracedOutcome } from '../types/run.js'

/** How many characters are kept of a name that a model gave, and of a description. */
const MAX_NAME = 128
const MAX_DESCRIPTION = 1_024

/** Maximum number of issues of a span, and of characters of each. */
const MAX_ISSUES = 20
const MAX_ISSUE = 256

/** The span of a call: `execute_tool {tool}`; `execute_tool` alone where there is no such tool. */
export function callStart({ tool, call, meta, arguments: sent }: TracedCall, captureContent: boolean): SpanStart {
  const attributes: Attributes = {
    [GEN_AI.operation]: 'execute_tool',
    [GEN_AI.tool]: tool?.toolName ?? boundedText(call.tool, MAX_NAME),
    [GEN_AI.toolType]: 'function',
    [GEN_AI.toolCallId]: call.toolCallId,
  }
  if (tool !== undefined) {
    attributes[GEN_AI.toolDescription] = boundedText(tool.description, MAX_DESCRIPTION)
    attributes[TOOLGEN.toolId] = call.tool
    attributes[TOOLGEN.provider] = tool.provider
  }
  put(attributes, GEN_AI.agent, meta?.agent)
  put(attributes, GEN_AI.conversation, meta?.sessionId)
  put(attributes, TOOLGEN.runId, meta?.runId)
  put(attributes, TOOLGEN.turnId, meta?.turnId)
  put(attributes, TOOLGEN.parentCall, call.parentToolCallId)
  if (captureContent) attributes[GEN_AI.toolArguments] = boundedText(sent)
  return {
    name: tool === undefined ? 'execute_tool' : `execute_tool ${tool.toolName}`,
    attributes,
  }
}

/** What the span of an ended call says. */
export function callEnd({ outcome, telemetry }: TracedOutcome, captureContent: boolean): SpanEnd {
  const { status, attempts, structured, service, model, promptTokens, completionTokens, children, issues } = telemetry
  const attributes: Attributes = {
    [TOOLGEN.callStatus]: status,
    [TOOLGEN.attempts]: attempts,
    [TOOLGEN.structured]: structured,
  }
  put(attributes, TOOLGEN.service, service)
  put(attributes, TOOLGEN.model, model)
  put(attributes, GEN_AI.inputTokens, promptTokens)
  put(attributes, GEN_AI.outputTokens, completionTokens)
  put(attributes, TOOLGEN.children, children)
  if (issues !== undefined) {
    attributes[TOOLGEN.issueCount] = issueCount(issues)
    attributes[TOOLGEN.issues] = issues.slice(0, MAX_ISSUES).map((issue) => issueText(issue, captureContent))
  }
  for (const [name, value] of Object.entries(telemetry.attributes ?? {})) {
    put(attributes, `${BUILDER_PREFIX}${name}`, attributeValue(value))
  }
  if (captureContent && outcome.status === 'completed') attributes[GEN_AI.toolResult] = boundedText(outcome.json)
  if (outcome.status !== 'failed') return { attributes }
  const { reason, message } = outcome.hint
  // The tool's own words may repeat what the arguments or the service said.
  return { attributes, failure: { reason, ...(captureContent && { message: boundedText(message) }) } }
}

/** The number of broken constraints, also of those that are not listed. */
function issueCount(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.constraint === 'more_issues' ? issue.count : 1), 0)
}

/** The constraint and the JSON Pointer. The sentence may repeat what was sent or answered. */
function issueText(issue: Issue, captureContent: boolean): string {
  const { constraint, path, message } = issue
  const broken = path === '' ? constraint : `${constraint} ${path}`
  return boundedText(captureContent ? `${broken}: ${message}` : broken, MAX_ISSUE)
}

/** Exporters differ in what they make of an attribute without a value. */
function put(attributes: Attributes, name: string, value: AttributeValue | undefined): void {
  if (value !== undefined) attributes[name] = value
}

/** The span of a run: `invoke_agent {agent}`. */
export function runStart({ agent, runId, sessionId, turnId, parentToolCallId }: RunMeta): SpanStart {
  return {
    name: `invoke_agent ${agent}`,
    attributes: {
      [GEN_AI.operation]: 'invoke_agent',
      [GEN_AI.agent]: agent,
      ...(sessionId !== undefined && { [GEN_AI.conversation]: sessionId }),
      [TOOLGEN.runId]: runId,
      ...(turnId !== undefined && { [TOOLGEN.turnId]: turnId }),
      ...(parentToolCallId !== undefined && { [TOOLGEN.parentCall]: parentToolCallId }),
    },
  }
}

/** What the span of an ended run says. */
export function runEnd(run: AgentRun): SpanEnd {
  const { status, stop, usage } = run
  const reason = runFailureReason(run)
  return {
    attributes: {
      [TOOLGEN.runStatus]: status,
      [TOOLGEN.stop]: stop.reason,
      [TOOLGEN.turns]: usage.turns,
      [TOOLGEN.toolCalls]: usage.toolCalls,
      // A run whose planner says nothing of tokens counts none.
      ...(usage.promptTokens > 0 && { [GEN_AI.inputTokens]: usage.promptTokens }),
      ...(usage.completionTokens > 0 && { [GEN_AI.outputTokens]: usage.completionTokens }),
      ...(usage.model !== undefined && { [TOOLGEN.runModel]: usage.model }),
    },
    ...(reason !== undefined && { failure: { reason } }),
  }
}

/** Why a run failed; `undefined` where it completed, was stopped by a limit, or waits. */
export function runFailureReason({ status, error }: AgentRun): string | undefined {
  if (status === 'cancelled') return 'cancelled'
  return status === 'failed' ? (error?.reason ?? 'internal') : undefined
}

/** What a span begins with. */
interface SpanStart {
  readonly name: string
  readonly attributes: Attributes
}

/** What is known when a span ends. */
interface SpanEnd {
  readonly attributes: Attributes
  /** Why the work failed, and what may be said of it; absent: it did not. */
  readonly failure?: { readonly reason: string; readonly message?: string }
}

/**
 * Does work inside a span that is the active one meanwhile. The span ends exactly once, also where the work rejects or
 * its end cannot be described.
 *
 * @throws what the work rejects with, and what the OpenTelemetry SDK throws
 */
export async function inSpan<Answer>(
  tracer: Tracer,
  { name, attributes }: SpanStart,
  { work, describe }: { readonly work: () => Promise<Answer>; readonly describe: (answer: Answer) => SpanEnd },
): Promise<Answer> {
  const span = tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes })
  const end = (described: () => SpanEnd): void => {
    try {
      if (!span.isRecording()) return
      const { attributes: known, failure } = described()
      span.setAttributes(known)
      if (failure === undefined) return
      const { reason, message } = failure
      span.setAttribute(ERROR_TYPE, reason)
      span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) })
    } finally {
      span.end()
    }
  }
  let answer: Answer
  try {
    answer = await context.with(trace.setSpan(context.active(), span), work)
  } catch (error) {
    end(() => ({ attributes: {}, failure: { reason: 'internal' } }))
    throw error
  }
  end(() => describe(answer))
  return answer
}

/** How many characters of one text a span keeps. */
const MAX_TEXT = 8_192

/** How long a list may be that is kept as a list. */
const MAX_LIST = 128

/** A text of bounded length; what was cut is shown by `…`. */
function boundedText(text: string, limit: number = MAX_TEXT): string {
  if (text.length <= limit) return text
  // Half of a surrogate pair cannot be exported.
  return `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** JSON as OpenTelemetry takes it: texts, numbers, booleans and lists of one of them as they are, the rest as JSON text. */
function attributeValue(value: JsonValue | undefined): AttributeValue | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return boundedText(value)
  if (typeof value !== 'object') return value
  return plainList(value) ?? jsonText(value)
}

function jsonText(value: object): string | undefined {
  try {
    return boundedText(JSON.stringify(value))
  } catch {
    // Plain JavaScript gave what is no JSON: the other attributes still count.
    return undefined
  }
}

function plainList(value: object): AttributeValue | undefined {
  if (!Array.isArray(value) || value.length > MAX_LIST) return undefined
  const list: readonly unknown[] = value
  if (list.every((each) => typeof each === 'string')) return list.map((each) => boundedText(each))
  if (list.every((each) => typeof each === 'number')) return [...list]
  return list.every((each) => typeof each === 'boolean') ? [...list] : undefined
}

/** The name under which spans and metrics are found. */
export const SCOPE = '@toolgen/runtime'

/** The names of the OpenTelemetry conventions that are used here. */
export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  agent: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  tool: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolDescription: 'gen_ai.tool.description',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  tokenType: 'gen_ai.token.type',
} as const

/** The name that all OpenTelemetry conventions share for why something failed. */
export const ERROR_TYPE = 'error.type'

/** Names of toolgen's own, for what the conventions do not name. */
export const TOOLGEN = {
  toolId: 'toolgen.tool.id',
  provider: 'toolgen.tool.provider',
  callStatus: 'toolgen.call.status',
  attempts: 'toolgen.call.attempts',
  structured: 'toolgen.call.structured',
  service: 'toolgen.call.service',
  model: 'toolgen.call.model',
  children: 'toolgen.call.children',
  issues: 'toolgen.call.issues',
  issueCount: 'toolgen.call.issue_count',
  parentCall: 'toolgen.call.parent_id',
  runId: 'toolgen.run.id',
  turnId: 'toolgen.turn.id',
  runStatus: 'toolgen.run.status',
  stop: 'toolgen.run.stop_reason',
  runModel: 'toolgen.run.model',
  turns: 'toolgen.run.turns',
  toolCalls: 'toolgen.run.tool_calls',
  sessionOrigin: 'toolgen.session.origin',
} as const

/** Before the names that a registration's telemetry builder gives. */
const BUILDER_PREFIX = 'toolgen.attributes.'
