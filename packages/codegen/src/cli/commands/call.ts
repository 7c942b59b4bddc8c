import { text as readAll } from 'node:stream/consumers'
import { type CallableTool, type CalledOutcome, findTool, type OpenedTools, openTools } from '../../dev/call-tool.js'
import { findToolsModule, loadServed } from '../../dev/served-module.js'
import type { Checked, Diagnostic } from '../../diagnostics/diagnostic.js'
import { standardInput } from '../../imports/sources.js'
import { issueText } from '../../schema/definitions.js'
import { parseJson } from '../../schema/json-error.js'
import { entriesOf, isObject, type Json, objectOf, own, setOwn, stringsOf } from '../../schema/json-schema.js'
import { printable } from '../../text.js'
import { type CommandContext, type CommonOptions, wrongUsage } from '../context.js'
import { count, type ExitCode, exitCodes, namesIn } from '../format.js'
import { type Ask, questions } from '../terminal.js'

export interface ModuleOptions extends CommonOptions {
  readonly module?: string
  readonly session?: string
  readonly label?: string
  readonly yes?: boolean
  readonly complete?: boolean
}

export interface CallOptions extends ModuleOptions {
  readonly tool?: string
  readonly fields?: readonly string[]
  readonly args?: string
  readonly agent?: string
}

export function run(options: CallOptions, context: CommandContext): Promise<ExitCode> {
  return withModule(options, context, openTools, async (module, root) => {
    if (options.complete === true) return printWords(nextWords(module.tools, options), context)
    if (options.tool === undefined) return listTools(module.tools, options, context)
    const tool = findTool(module.tools, options.tool, options.agent)
    if (tool.value === undefined) return context.report(tool.diagnostics, { root })
    const sent = await argumentsOf(options, tool.value.arguments, context)
    const labels = labelsOf(options.label)
    const wrong = [...sent.diagnostics, ...labels.diagnostics]
    if (wrong.length > 0) return context.report(wrong, { root })
    return callTool(module, tool.value, { ...options, sent: sent.value ?? '{}', labels: labels.value }, context)
  })
}

export async function withModule<Opened extends { close(): Promise<readonly Diagnostic[]> }>(
  { module: named }: ModuleOptions,
  context: CommandContext,
  open: (load: () => ReturnType<typeof loadServed>, root: string) => Promise<Checked<Opened>>,
  use: (module: Opened, root: string) => ExitCode | Promise<ExitCode>,
): Promise<ExitCode> {
  const { value: found, diagnostics } = await findToolsModule(named, context.project)
  if (found === undefined) return context.report(diagnostics)
  const { file, root } = found
  context.onEvaluate?.('module')
  const { value: module, diagnostics: problems } = await open(() => loadServed(file, root), root)
  if (module === undefined) return context.report(problems, { root })
  const code = await use(module, root)
  const left = await module.close()
  return left.length === 0 ? code : context.report(left, { root })
}

export function printWords(words: readonly string[], { terminal }: CommandContext): ExitCode {
  terminal.out(words.map((word) => `${printable(word)}\n`).join(''))
  return exitCodes.ok
}

function nextWords(tools: readonly CallableTool[], { tool: name, agent, fields = [] }: CallOptions): readonly string[] {
  if (name === undefined) return tools.filter((tool) => agent === undefined || tool.agent === agent).map(({ id }) => id)
  const { value: tool } = findTool(tools, name, agent)
  if (tool === undefined) return []
  const set = fields.map((field) => field.split('=')[0])
  return entriesOf(objectOf(tool.arguments), 'properties').flatMap(([field, schema]) => {
    if (set.includes(field)) return []
    const { enum: choices, type } = resolved(schema, tool.arguments)
    const values = Array.isArray(choices) ? choices : type === 'boolean' ? [true, false] : ['']
    return values.map((value) => `${field}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
  })
}

function listTools(tools: readonly CallableTool[], { agent, module }: CallOptions, context: CommandContext): ExitCode {
  const { reporter, terminal } = context
  const own = agent === undefined ? tools : tools.filter((tool) => tool.agent === agent)
  if (own.length === 0) return context.report(findTool(tools, '', agent).diagnostics)
  const facts = own.map(({ id, toolName, agent: user, description, arguments: schema }) => {
    return { id, toolName, ...(user !== undefined && { agent: user }), description, arguments: schema }
  })
  if (reporter === 'json') return context.report([], { facts: { tools: facts } })
  const rows = own.map(({ id, arguments: schema, description }) => {
    return [id, fieldsOf(schema), description.split('\n')[0] ?? ''].map((cell) => printable(cell))
  })
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  terminal.out(`${lines.join('\n')}\n`)
  const option = module === undefined ? '' : ` -m ${module}`
  terminal.note(
    `${count(own.length, 'tool')}. Call one: toolgen call${option} ${own[0]?.id} ${exampleFields(own[0])}\n`,
  )
  return exitCodes.ok
}

function fieldsOf(schema: Json): string {
  const required = stringsOf(objectOf(schema), 'required')
  return entriesOf(objectOf(schema), 'properties')
    .map(([name]) => (required.includes(name) ? name : `${name}?`))
    .join(' ')
}

function exampleFields(tool: CallableTool | undefined): string {
  return stringsOf(objectOf(tool?.arguments), 'required')
    .map((name) => `${name}=...`)
    .join(' ')
}

interface Call extends CallOptions {
  readonly sent: string
  readonly labels: Readonly<Record<string, string>> | undefined
}

const NOBODY_ASKED = 'Nobody could be asked. Approve the call with --yes.'

export function approver(ask: Ask | undefined, isApproved: boolean): (request: unknown) => Promise<unknown> {
  return async (request) => {
    if (isApproved) return 'approve'
    if (ask === undefined) return { decision: 'deny', reason: NOBODY_ASKED }
    const { tool, prompt, arguments: payload } = Object(request)
    const question = typeof prompt === 'string' ? prompt : `Call ${tool}?`
    let answer = await ask(`${printable(question)}\n  ${printable(JSON.stringify(payload) ?? '')}\nApprove? [y/N] `)
    for (;;) {
      if (/^(?:y|yes)$/i.test(answer ?? '')) return 'approve'
      if (/^(?:n|no)?$/i.test(answer ?? '')) return 'deny'
      answer = await ask('Answer y or n.\nApprove? [y/N] ')
    }
  }
}

async function callTool(
  module: OpenedTools,
  tool: CallableTool,
  { sent, labels, session, yes }: Call,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, reporter } = context
  const { ask, close } = questions(context, yes !== true)
  const approve = approver(ask, yes === true)
  const { value: called, diagnostics } = await module
    .call({
      tool,
      arguments: sent,
      options: { ...(session !== undefined && { sessionId: session }), ...(labels !== undefined && { labels }) },
      approve,
      onUpdate: (update) => terminal.note(`${terminal.noteStyle('dim', 'update:')} ${printable(update)}\n`),
    })
    .finally(close)
  if (called === undefined) return context.report(diagnostics)
  const { outcome, text } = called
  const exitCode = outcome.status === 'completed' ? exitCodes.ok : exitCodes.call
  if (reporter === 'json') {
    const { json, ...facts } = outcome
    const result = json === undefined ? {} : { result: JSON.parse(json) }
    return context.report([], { exitCode, facts: { outcome: { tool: tool.id, ...facts, ...result, text } } })
  }
  printOutcome(tool, outcome, text, context)
  return exitCode
}

function printOutcome(
  { id }: CallableTool,
  { status, json, hint, error = {}, provenance, suspension = {} }: CalledOutcome,
  text: string,
  { terminal }: CommandContext,
): void {
  const { noteStyle: style } = terminal
  const facts = `${style('bold', printable(id))}${provenanceText(provenance)}`
  if (json !== undefined) {
    const shown = JSON.stringify(JSON.parse(json), null, 2)
    terminal.out(`${terminal.outIsTerminal ? printable(shown) : shown}\n`)
    terminal.note(`${style('green', 'completed')}: ${facts}\n`)
    return
  }
  const why = status === 'failed' ? String(error.reason) : `waits: ${String(suspension.kind)}`
  // The text for models also says what a model can do.
  const shown = hint?.message === NOBODY_ASKED ? NOBODY_ASKED : text
  terminal.note(`${style('red', status)} (${why}): ${facts}\n${printable(shown)}\n`)
  // Only the developer reads the cause: it can contain secrets. Models read the message of a `ToolFailure`.
  const cause = (isFailure(error.cause) ? error.cause.cause : error.cause) ?? unreadIssues(error)
  if (cause === undefined) return
  const stack = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  terminal.note(`${style('dim', 'Cause, which models do not read:')}\n${printable(stack)}\n`)
}

/** The text for models contains the issues of arguments, but not those of a malformed result. */
function unreadIssues({ reason, issues }: Readonly<Record<string, unknown>>): string | undefined {
  if (reason !== 'malformed_result' || !Array.isArray(issues)) return undefined
  return issues.map(({ path, message }) => issueText({ path: String(path), message: String(message) })).join('\n')
}

function isFailure(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ToolFailure'
}

function provenanceText({ durationMs, attempts, service, cut }: Readonly<Record<string, unknown>>): string {
  const parts = [
    ...(typeof service === 'string' ? [` from ${printable(service)}`] : []),
    ...(Number(attempts) > 1 ? [`, ${count(Number(attempts), 'attempt')}`] : []),
    ...(cut === undefined ? [] : [', shortened as for models']),
  ]
  return `${parts.join('')} (${Math.round(Number(durationMs))} ms)`
}

async function argumentsOf(
  { args, fields = [] }: CallOptions,
  schema: Json,
  { input }: CommandContext,
): Promise<Checked<string>> {
  if (args !== undefined && fields.length > 0) {
    const next = 'Write all arguments as `FIELD=VALUE`, or all in the JSON object of --args.'
    return { diagnostics: [wrongUsage('FIELD=VALUE and --args cannot be combined.', next)] }
  }
  // The runtime reports missing and wrong fields.
  if (args === undefined) return fieldArguments(fields, schema)
  const text = args === standardInput ? await readAll(input()) : args
  const parsed = parseJson(text)
  if ('json' in parsed) return { value: text, diagnostics: [] }
  const where = args === standardInput ? 'Standard input' : '--args'
  const message = `${where} is not JSON: line ${parsed.line}, column ${parsed.column}: ${parsed.why}.`
  return { diagnostics: [wrongUsage(message, `Write \`--args '{"name":"value"}'\`, or \`name=value\`.`)] }
}

function fieldArguments(words: readonly string[], schema: Json): Checked<string> {
  const payload: Record<string, Json> = {}
  const diagnostics: Diagnostic[] = []
  for (const word of words) {
    const at = word.indexOf('=')
    if (at < 1) {
      const next = 'Write `name=value`, for example `limit=3`. JSON belongs to `--args`.'
      diagnostics.push(wrongUsage(`\`${word}\` is not an argument of the form FIELD=VALUE.`, next))
      continue
    }
    const path = word.slice(0, at).split('.')
    if (setAt(payload, path, fieldValue(word.slice(at + 1), schemaAt(path, schema)))) continue
    const next = 'Write the whole value as JSON, for example `address=\'{"city":"Berlin"}\'`.'
    diagnostics.push(wrongUsage(`\`${word}\` sets a field of a value that is not an object.`, next))
  }
  return diagnostics.length > 0 ? { diagnostics } : { value: JSON.stringify(payload), diagnostics }
}

function setAt(payload: Record<string, Json>, path: readonly string[], value: Json): boolean {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    setOwn(payload, name, value)
    return true
  }
  const inner = own(payload, name) ?? {}
  if (!isObject(inner)) return false
  const copy = { ...inner }
  setOwn(payload, name, copy)
  return setAt(copy, rest, value)
}

function schemaAt(path: readonly string[], root: Json): Json | undefined {
  let schema: Json | undefined = root
  for (const name of path) schema = own(objectOf(own(resolved(schema, root), 'properties')), name)
  return schema === undefined ? undefined : resolved(schema, root)
}

function resolved(schema: Json | undefined, root: Json): ReturnType<typeof objectOf> {
  const object = objectOf(schema)
  const [, name] = /^#\/\$defs\/([^/]+)$/.exec(String(own(object, '$ref'))) ?? []
  return name === undefined ? object : objectOf(own(objectOf(own(objectOf(root), '$defs')), name))
}

/** Text that is not JSON stays a string, and the runtime reports the wrong type. */
function fieldValue(text: string, schema: Json | undefined): Json {
  const types = [own(objectOf(schema), 'type') ?? []].flat()
  const choices = own(objectOf(schema), 'enum')
  const isText = types.length === 1 && types[0] === 'string'
  if (isText || (Array.isArray(choices) && choices.includes(text))) return text
  const parsed = parseJson(text)
  return 'json' in parsed ? (parsed.json as Json) : text // `JSON.parse` returns nothing else
}

export function labelsOf(option: string | undefined): Checked<Readonly<Record<string, string>>> {
  if (option === undefined) return { diagnostics: [] }
  const pairs = namesIn(option).map((pair) => [pair, pair.indexOf('=')] as const)
  const wrong = pairs.find(([, at]) => at < 1)
  if (wrong !== undefined || pairs.length === 0) {
    const message = `--label must be NAME=VALUE, not \`${wrong?.[0] ?? option}\`.`
    return { diagnostics: [wrongUsage(message, 'Write `--label tenant=acme`.')] }
  }
  return {
    value: Object.fromEntries(pairs.map(([pair, at]) => [pair.slice(0, at), pair.slice(at + 1)])),
    diagnostics: [],
  }
}
