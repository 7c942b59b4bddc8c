import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { isFields } from '../../defined.js'
import { type Fields, type OpenedAgents, openAgents, type PendingQuestion } from '../../dev/run-agent.js'
import { standardInput } from '../../imports/sources.js'
import { parseJson } from '../../schema/json-error.js'
import { printable } from '../../text.js'
import { type CommandContext, wrongUsage } from '../context.js'
import { count, type ExitCode, exitCodes } from '../format.js'
import { type Ask, nextSignal, questions, type Terminal } from '../terminal.js'
import { approver, labelsOf, type ModuleOptions, printWords, withModule } from './call.js'

export interface RunOptions extends ModuleOptions {
  readonly agent?: string
  readonly prompt?: string
  readonly cassette?: string
  readonly record?: boolean
}

export function run(options: RunOptions, context: CommandContext): Promise<ExitCode> {
  return withModule(options, context, openAgents, (module) => runOpened(module, options, context))
}

async function runOpened(module: OpenedAgents, options: RunOptions, context: CommandContext): Promise<ExitCode> {
  const { agent, prompt, session, yes, complete } = options
  if (complete === true) return printWords(agent === undefined ? module.agents.map(({ name }) => name) : [], context)
  if (agent === undefined) return listAgents(module, context)
  const labels = labelsOf(options.label)
  if (labels.diagnostics.length > 0) return context.report(labels.diagnostics)
  const text = prompt === standardInput ? await readAll(context.input()) : prompt
  if (text === undefined || text.trim() === '') {
    const next = `Write \`toolgen run ${agent} "Where is my order?"\`, or \`-\` to read standard input.`
    return context.report([wrongUsage('The text for the agent is missing.', next)])
  }
  if (options.cassette === '') {
    return context.report([wrongUsage('The path of --cassette is empty.', 'Write `--cassette run.jsonl`.')])
  }
  if (options.record === true && options.cassette === undefined) {
    const next = 'Write `--record --cassette run.jsonl`.'
    return context.report([wrongUsage('--record needs the path of the cassette.', next)])
  }
  const cassette =
    options.cassette === undefined
      ? undefined
      : ({
          file: resolve(context.project.cwd, options.cassette),
          mode: options.record === true ? 'record' : 'replay',
        } as const)
  const isJson = context.reporter === 'json'
  const terminal = isJson ? { ...context.terminal, out: context.terminal.note } : context.terminal
  const view = new RunView(terminal, cassette?.mode === 'replay')
  const { ask, close } = questions(context, yes !== true && prompt !== standardInput)
  const asked: Ask | undefined =
    ask &&
    ((question) => {
      view.startLine()
      return ask(question)
    })
  const cancel = new AbortController()
  void nextSignal(['SIGINT']).then(() => cancel.abort())
  const { value: ended, diagnostics } = await module
    .run({
      agent,
      prompt: text,
      options: {
        ...(session !== undefined && { sessionId: session }),
        ...(labels.value !== undefined && { labels: labels.value }),
        approve: approver(asked, yes === true),
      },
      onPart: (part) => view.show(part),
      answer: (question) => answerTo(question, asked, approver(asked, yes === true)),
      signal: cancel.signal,
      ...(cassette && { cassette }),
    })
    .finally(close)
  if (ended === undefined) return context.report(diagnostics)
  const exitCode = ended.status === 'completed' && diagnostics.length === 0 ? exitCodes.ok : exitCodes.call
  if (isJson) {
    const { runId, status, result, stop, usage, error, messages, suspension } = ended
    const facts = { run: { runId, agent, status, result, stop, usage, error, messages, suspension } }
    return context.report(diagnostics, { exitCode, facts })
  }
  view.end(ended, !diagnostics.some(({ severity }) => severity === 'error'))
  if (diagnostics.length > 0) context.report(diagnostics)
  return exitCode
}

function listAgents({ agents, notRunnable }: OpenedAgents, { reporter, report, terminal }: CommandContext): ExitCode {
  if (reporter === 'json') return report([], { facts: { agents } })
  const width = Math.max(0, ...agents.map(({ name }) => name.length))
  for (const { name, description, tools } of agents) {
    const line = `${name.padEnd(width)}  ${description.split('\n')[0]} (${count(tools.length, 'tool')})`
    terminal.out(`${printable(line)}\n`)
  }
  terminal.note(
    `${count(agents.length, 'agent')}.${agents[0] === undefined ? '' : ` Run one: toolgen run ${agents[0].name} "..."`}\n`,
  )
  if (notRunnable.length > 0) {
    terminal.note(`Without a planner, so \`toolgen run\` cannot run them: ${printable(notRunnable.join(', '))}.\n`)
  }
  return exitCodes.ok
}

async function answerTo(
  { kind, pending }: PendingQuestion,
  ask: Ask | undefined,
  approve: (request: unknown) => Promise<unknown>,
): Promise<unknown> {
  if (kind === 'approval') {
    const payload = parseJson(String(pending.arguments))
    const tool = isFields(pending.call) ? pending.call.tool : undefined
    return approve({ tool, prompt: pending.prompt, arguments: 'json' in payload ? payload.json : pending.arguments })
  }
  if (ask === undefined || kind === 'external') return undefined
  const prompt = printable(String(pending.prompt ?? 'The agent asks a question.'))
  if (kind !== 'elicitation') {
    const text = await ask(`${prompt}\n> `)
    return text === undefined || text === '' ? undefined : { text }
  }
  const question = isFields(pending.question) ? pending.question : {}
  const what = question.mode === 'url' ? String(question.url) : JSON.stringify(question.schema)
  const answer = await ask(`${prompt}\n  ${printable(what)}\nAnswer as JSON, or an empty line to decline: `)
  const parsed = parseJson(answer ?? '')
  return 'json' in parsed ? { action: 'accept', content: parsed.json } : { action: 'decline' }
}

class RunView {
  readonly #terminal: Terminal
  readonly #isReplay: boolean
  readonly #out: (text: string) => void
  #isLineStart = true
  #hasText = false

  constructor(terminal: Terminal, isReplay: boolean) {
    this.#terminal = terminal
    this.#isReplay = isReplay
    // Both streams of one terminal have no common order: standard output can be late.
    const isSame = terminal.outIsTerminal && terminal.noteIsTerminal
    this.#out = isSame ? (text) => terminal.note(printable(text)) : terminal.out
  }

  startLine(): void {
    if (!this.#isLineStart) this.#out('\n')
    this.#isLineStart = true
  }

  show({ kind, delta, event }: Fields): void {
    if (kind === 'delta' && isFields(delta) && delta.type === 'text') this.#text(String(delta.text))
    if (kind === 'event' && isFields(event)) this.#event(event)
  }

  end({ status, result, stop, usage, error }: Fields, hasReason: boolean): void {
    const { text, value } = isFields(result) ? result : {}
    if (!this.#hasText && typeof text === 'string') this.#text(text)
    if (value !== undefined && text === undefined) this.#text(JSON.stringify(value, null, 2))
    const { noteStyle: style } = this.#terminal
    const why =
      isFields(stop) && stop.reason !== 'answered' && stop.reason !== status ? ` (${String(stop.reason)})` : ''
    const { turns = 0, toolCalls = 0, promptTokens = 0, completionTokens = 0, durationMs = 0 } = Object(usage)
    const facts = `${count(turns, 'step')}, ${count(toolCalls, 'call')}, ${promptTokens} + ${completionTokens} tokens (${Math.round(durationMs)} ms)`
    this.#note(`${style(status === 'completed' ? 'green' : 'red', String(status))}${why}: ${facts}`)
    if (!hasReason) return
    const message = isFields(error) ? error.message : isFields(stop) ? stop.message : undefined
    if (typeof message === 'string') this.#note(printable(message))
    const cause = isFields(error) ? error.cause : undefined
    if (cause instanceof Error) this.#note(printable(cause.stack ?? cause.message))
  }

  #text(text: string): void {
    if (text === '') return
    this.#hasText = true
    this.#isLineStart = text.endsWith('\n')
    this.#out(text)
  }

  #event({ type, agent, call, arguments: sent, outcome, telemetry, update }: Fields): void {
    const { noteStyle: style } = this.#terminal
    const tool = isFields(call) ? String(call.tool) : ''
    const by = `${style('dim', `${printable(String(agent ?? ''))}:`)} ${style('bold', printable(tool))}`
    if (type === 'call_started') this.#note(`${by} ${printable(shortened(String(sent)))}`)
    if (type === 'call_updated') this.#note(`${by} ${style('dim', 'update:')} ${printable(shortened(String(update)))}`)
    if (type !== 'call_ended' || !isFields(outcome)) return
    const { status, json, hint } = outcome
    const { durationMs = 0 } = Object(telemetry)
    const error = isFields(outcome.error) ? outcome.error : {}
    const said = status === 'completed' ? String(json) : isFields(hint) ? `${error.reason}: ${hint.message}` : ''
    this.#hasText = false
    // A replay calls no tools: the duration is that of the recording, and can include the time of an approver.
    const time = this.#isReplay ? '' : ` (${Math.round(durationMs)} ms)`
    this.#note(
      `${by} ${style(status === 'completed' ? 'green' : 'red', String(status))} ${printable(shortened(said))}${time}`,
    )
    const edited = Object(Object(outcome.provenance).approval).edited
    if (edited !== undefined) this.#note(`  approved with changed arguments: ${printable(shortened(String(edited)))}`)
    for (const line of developerLines(error)) this.#note(`  ${style('dim', printable(shortened(line)))}`)
  }

  #note(line: string): void {
    this.startLine()
    this.#terminal.note(`${line}\n`)
  }
}

const MAX_ISSUES = 3

function developerLines({ issues, cause, message }: Fields): readonly string[] {
  const found = Array.isArray(issues) ? issues.filter(isFields) : []
  const lines = found.slice(0, MAX_ISSUES).map((issue) => `${issue.path || 'value'}: ${issue.message}`)
  if (found.length > MAX_ISSUES) lines.push(`${found.length - MAX_ISSUES} more`)
  const isNew = cause instanceof Error && cause.message !== message && found.length === 0
  return isNew ? [`cause: ${cause.name}: ${cause.message.split('\n')[0]}`] : lines
}

const MAX_SHOWN = 200

function shortened(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)`
}
