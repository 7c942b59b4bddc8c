import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/server'
import { editProblem } from '../call/approvals.js'
import type { BoundTool } from '../call/bound-tools.js'
import type { BoundTools } from '../call/bound-toolset.js'
import type { ResolvedOptions } from '../call/call-target.js'
import { answerCall, continueCall } from '../call/execute.js'
import { ToolFailure } from '../call/tool-failure.js'
import { deepEqual, isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { McpAnswer, McpQuestion } from '../types/elicitation.js'
import type { JsonObject } from '../types/json.js'
import type { CallSuspension, PendingAnswer, PendingCall, ToolOutcome } from '../types/outcome.js'
import type { ServedClient } from './served-client.js'

type Waiting = Pick<PendingCall, 'kind' | 'call' | 'arguments' | 'adapted' | 'prompt' | 'question'>

/**
 * Asks the questions of parallel calls together. Returns the suspended outcome if the client cannot ask its user, or if the call waits for an
 * external result.
 *
 * @throws {ToolFailure} if the user does not answer the question of an agent
 * @throws {Error} if the client does not answer in time, or sends an invalid answer
 */
export async function answeredByClient(
  outcome: ToolOutcome,
  { target }: BoundTools<any>, // `any`: the `env` is in the options
  client: ServedClient,
  options: ResolvedOptions,
): Promise<ToolOutcome> {
  let last = outcome
  while (last.status === 'suspended') {
    const { suspension } = last
    const waiting = waitingOf(suspension)
    const tool = target.table.find(suspension.call.tool)?.tool
    if (!waiting.every(([, each]) => canAsk(client, each))) return last
    const read = await Promise.all(waiting.map(async ([id, each]) => [id, await ask(client, each, tool)] as const))
    const answers: Readonly<Record<string, PendingAnswer>> = Object.fromEntries(read)
    last = await (suspension.nested === undefined && suspension.elicitation === undefined
      ? answerCall(target, suspension, approvalOf(answers.call), options)
      : continueCall(target, suspension, textOf(suspension, answers) ?? answers, options))
  }
  return last
}

/** The id of an approval or question is the key of its answer in the options of `continueCall`. */
function waitingOf(suspension: CallSuspension): readonly (readonly [id: string, Waiting])[] {
  const { nested, elicitation } = suspension
  if (elicitation !== undefined)
    return Object.entries(elicitation.questions).map(([key, question]) => [key, { ...suspension, question }])
  if (nested === undefined || nested.pending.length === 0) return [['call', suspension]]
  return nested.pending.map((pending) => [pending.id, pending])
}

function textOf({ nested }: CallSuspension, { call }: Readonly<Record<string, PendingAnswer>>): string | undefined {
  return nested?.pending.length === 0 && typeof call === 'object' && 'text' in call ? call.text : undefined
}

function canAsk({ capabilities: { elicitation } }: ServedClient, { kind, question }: Waiting): boolean {
  if (elicitation === undefined || kind === 'external') return false
  return question?.mode === 'url'
    ? elicitation.url !== undefined
    : elicitation.form !== undefined || elicitation.url === undefined
}

function approvalOf(answer: PendingAnswer | undefined): Parameters<typeof answerCall>[2] {
  if (typeof answer === 'object' && 'decision' in answer && answer.decision === 'approve') return answer
  return answer === 'approve' ? answer : 'deny'
}

/**
 * `tool` is the tool that the client called. The waiting call can belong to another tool, in a nested agent. The user cannot change the arguments of
 * such a call, because the schema of its tool is not available.
 */
async function ask(client: ServedClient, waiting: Waiting, tool: BoundTool | undefined): Promise<PendingAnswer> {
  const { kind, call, arguments: sent, prompt, question } = waiting
  if (question !== undefined) return answerTo(await client.elicit(requestOf(question)))
  if (kind === 'approval') {
    const message = prompt ?? `Allow the tool '${call.tool}' to run with the arguments ${sent}?`
    const form = tool === undefined || tool.id !== call.tool ? undefined : argumentsForm(tool, waiting)
    const requestedSchema = form?.schema ?? ({ type: 'object', properties: {} } as const)
    const { action, content } = await client.elicit({ message, requestedSchema })
    if (action !== 'accept') return 'deny'
    const changed = { ...form?.values, ...content } as JsonObject
    if (tool === undefined || form === undefined || deepEqual(changed, form.values)) return 'approve'
    const problem = editProblem(tool, changed)
    if (problem === undefined) return { decision: 'approve', arguments: changed }
    throw new Error(`The client changed the arguments of '${tool.id}' to invalid ones: ${problem}`)
  }
  const { action, content } = await client.elicit({
    message: prompt ?? `The tool '${call.tool}' needs an answer.`,
    requestedSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
  })
  if (action !== 'accept') throw new ToolFailure('The user did not answer the question.', { reason: 'denied' })
  return { text: String(content?.answer) }
}

/** MCP forms support only flat objects. All fields are optional: if the client returns no fields, the call keeps its arguments. */
function argumentsForm(
  { spec }: BoundTool,
  { arguments: sent, adapted = sent }: Waiting,
): { readonly schema: ElicitRequestFormParams['requestedSchema']; readonly values: JsonObject } | undefined {
  const parsed = parseJson(adapted)
  const declared = isFields(spec.arguments) ? spec.arguments.properties : undefined
  if (!parsed.ok || !isFields(parsed.value) || !isFields(declared)) return undefined
  const values = parsed.value as JsonObject
  if (Object.keys(values).some((name) => !Object.hasOwn(declared, name))) return undefined
  const fields = Object.entries(declared).map(([name, schema]) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    const field = primitiveField(schema)
    return [name, field && { ...field, ...(value !== undefined && { default: value }) }] as const
  })
  if (fields.some(([, field]) => field === undefined)) return undefined
  const schema = { type: 'object', properties: Object.fromEntries(fields) }
  return { schema: schema as ElicitRequestFormParams['requestedSchema'], values }
}

const PRIMITIVE_KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['title', 'description', 'minLength', 'maxLength', 'enum'],
  number: ['title', 'description', 'minimum', 'maximum'],
  integer: ['title', 'description', 'minimum', 'maximum'],
  boolean: ['title', 'description'],
}

function primitiveField(schema: unknown): JsonObject | undefined {
  const type = isFields(schema) ? (schema.type ?? (Array.isArray(schema.enum) ? 'string' : undefined)) : undefined
  const keywords =
    typeof type === 'string' && Object.hasOwn(PRIMITIVE_KEYWORDS, type) ? PRIMITIVE_KEYWORDS[type] : undefined
  if (!isFields(schema) || keywords === undefined) return undefined
  if (Array.isArray(schema.enum) && !schema.enum.every((value) => typeof value === 'string')) return undefined
  const kept = keywords.flatMap((keyword) =>
    Object.hasOwn(schema, keyword) ? [[keyword, schema[keyword]] as const] : [],
  )
  return { type: String(type), ...(Object.fromEntries(kept) as JsonObject) }
}

function requestOf(question: McpQuestion): Parameters<ServedClient['elicit']>[0] {
  if (question.mode === 'url') return question
  // The schema was validated as a form when the server asked.
  const requestedSchema = question.schema as unknown as ElicitRequestFormParams['requestedSchema']
  return { message: question.message, requestedSchema }
}

function answerTo({ action, content }: ElicitResult): McpAnswer {
  return action === 'accept' ? { action, content: { ...content } as JsonObject } : { action }
}
