import type { Attributes, AttributeValue } from '@opentelemetry/api'
import type { Issue } from '../contract/issue.js'
import type { EndedCall, TracedCall } from '../contract/telemetry.js'
import { BUILDER_PREFIX, GEN_AI, TOOLGEN } from './attribute-names.js'
import { attributeValue, boundedText } from './attribute-value.js'
import type { SpanEnd, SpanStart } from './span.js'

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
    [GEN_AI.tool]: tool?.wireName ?? boundedText(call.tool, MAX_NAME),
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
    name: tool === undefined ? 'execute_tool' : `execute_tool ${tool.wireName}`,
    attributes,
  }
}

/** What the span of an ended call says. */
export function callEnd({ outcome, telemetry }: EndedCall, captureContent: boolean): SpanEnd {
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
