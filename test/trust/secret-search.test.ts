import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import {
  approval,
  type HasApproval,
  provenanced,
  type RunEvent,
  Runtime,
  type RuntimeOptions,
  renderForModel,
  runConfig,
  type ToolOutcome,
  type Tracer,
  tool,
  toolset,
} from '@toolgen/runtime'
import { type AgentRun, base, eventStreamResponse, useGuardrails, useModel } from '@toolgen/runtime/agents'
import { toUIMessageStreamResponse } from '@toolgen/runtime/ai-sdk'
import { quickJsSandbox, typescriptChecker, useCodeMode } from '@toolgen/runtime/code-mode'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { inMemoryCaller, serveMcp } from '@toolgen/runtime/mcp'
import { RuntimeMetrics } from '@toolgen/runtime/metrics'
import { otelTracer } from '@toolgen/runtime/otel'
import { memoryStore, SessionRegistry } from '@toolgen/runtime/sessions'
import { calls, openCassette, type ScriptStep, says, scriptedModel } from '@toolgen/runtime/testing'
import { useToolSearch } from '@toolgen/runtime/tool-search'
import { afterAll, describe, expect, it } from 'vitest'
import { aiSdk } from '../integrations/ai-sdk.framework.js'
import { langChain } from '../integrations/langchain.framework.js'
import { openAiAgents } from '../integrations/openai-agents.framework.js'
import { recordTelemetry } from '../telemetry/recorded-telemetry.js'
import { bank, crm, invalidArguments, marker, pseudonymsIn, secretIn, secrets } from './crm.fixture.js'

const checker = typescriptChecker()
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

const design = { name: 'support', description: 'Answers customers.' }
const sent = { id: marker, email: secrets.email }
const finds = calls({ tool: 'find', arguments: sent, toolCallId: 'found' })
const fails = calls({ tool: 'fail', arguments: sent })
const watches = calls({ tool: 'watch', arguments: {} })
/** Calls whose arguments are invalid. */
const breaks = calls(...invalidArguments.map((text) => ({ tool: 'bank_charge', arguments: text })))
const ends = says(`${marker} has ${secrets.email}.`)
/** A program whose model wrote no secret. */
const program = (code: string): ScriptStep => calls({ tool: 'run_program', arguments: { code } })

function supportOf(steps: readonly ScriptStep[], options: RuntimeOptions = {}, features = base(scriptedModel(steps))) {
  const { registration, received } = crm()
  const model = scriptedModel(steps)
  const agent = features.with(useModel(model)).build()
  return { support: new Runtime(options).registerAgent(design, [registration, bank()], { agent }), model, received }
}

/** Runs an agent and returns its events, also those that sinks receive. */
async function eventsOf(...steps: readonly ScriptStep[]): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = []
  const { support } = supportOf([...steps, ends], { sinks: [(event) => events.push(event)] })
  const run = await support.run(`Find ${marker}.`)
  return [...events, ...run.events]
}

const ofType = async (type: RunEvent['type'], ...steps: readonly ScriptStep[]) =>
  (await eventsOf(...steps)).filter((event) => event.type === type)

const endOf = async (step: ScriptStep): Promise<ToolOutcome> => {
  const [event] = await ofType('call_ended', step)
  if (event?.type !== 'call_ended') throw new Error('the call has not ended')
  return event.outcome
}

/** Runs an agent and returns the requests to its model. */
async function requestsOf(steps: readonly ScriptStep[], features = base(scriptedModel([]))): Promise<unknown> {
  const { support, model } = supportOf([...steps, says('Done.')], {}, features)
  const run = await support.run(`Find ${marker}.`)
  if (run.status !== 'completed') throw new Error(`the run is ${run.status}: ${run.error?.message}`)
  return model.requests.slice(1).map(({ messages }) => messages.filter(({ role }) => role === 'tool'))
}

/** Runs an agent and returns the conversation that its model reads. */
async function conversationOf(...steps: readonly ScriptStep[]): Promise<unknown> {
  const { support, model } = supportOf([...steps, says('Done.')])
  await support.run(`Find ${marker}.`)
  return model.requests.at(-1)?.messages
}

async function partsOf(kind: 'item' | 'delta', ...steps: readonly ScriptStep[]): Promise<unknown> {
  const parts: unknown[] = []
  const { support } = supportOf([...steps, ends])
  for await (const part of support.run(`Find ${marker}.`).parts()) if (part.kind === kind) parts.push(part)
  return parts
}

async function spansOf(...steps: readonly ScriptStep[]) {
  const telemetry = recordTelemetry()
  const tracer = otelTracer({ ...telemetry, captureContent: true })
  await supportOf([...steps, ends], { tracer }).support.run(`Find ${marker}.`)
  return telemetry
}

/** Runs an agent with a tracer and returns everything that the tracer receives. */
async function traced(...steps: readonly ScriptStep[]): Promise<unknown> {
  const seen: unknown[] = []
  const see = async <Result>(start: unknown, work: () => Promise<Result>): Promise<Result> => {
    const ended = await work()
    seen.push(start, ended)
    return ended
  }
  const tracer: Tracer = {
    call: ({ meta: _, tool: _tool, ...call }, work) => see(call, work),
    run: (_, work) => see({}, work),
    model: (call, work) => see(call, work),
  }
  await supportOf([...steps, ends], { tracer }).support.run(`Find ${marker}.`)
  return seen
}

const env: HasApproval = {
  approval: { approve: async ({ tool: id }) => (id === 'crm.mail' ? 'suspend' : 'approve') },
}
const waiting = { env, config: runConfig().layer(approval()) }
const mails: ScriptStep = ({ messages }) =>
  calls({ tool: 'mail', arguments: { to: pseudonymsIn(messages).email ?? '', body: marker } })

async function suspended(steps: readonly ScriptStep[], features = base(scriptedModel([]))): Promise<unknown> {
  const { suspension } = await supportOf(steps, {}, features).support.run(`Find ${marker}.`, waiting)
  return suspension
}

/** An outer agent that calls `support` as a tool, and the requests to the models of both. */
async function nested(): Promise<{ readonly inner: unknown; readonly outer: unknown; readonly run: AgentRun }> {
  const runtime = new Runtime()
  const innerModel = scriptedModel([finds, ({ messages }) => says(`It is ${pseudonymsIn(messages).email}, ${marker}.`)])
  const { registration } = crm()
  const inner = runtime.registerAgent({ name: 'inner', description: 'Finds.' }, [registration], {
    agent: base(innerModel).build(),
  })
  const asks = tool({
    name: 'ask',
    description: `Asks, ${marker}.`,
    parameters: {},
    sensitive: { payload: { '/about': { model: 'pseudonym' } } },
    run: () => null,
  })
  const { use } = toolset('desk', asks)
  const served = agentToolsetRegistration(
    { toolset: use.toolset, agent: { name: 'inner', description: 'Finds.' }, tools: { ask: { prose: true } } },
    inner,
  )
  const outerModel = scriptedModel([calls({ tool: 'ask', arguments: { about: secrets.ssn } }), says('Done.')])
  const outer = runtime.registerAgent({ name: 'outer', description: 'Asks.' }, [served], {
    agent: base(outerModel).build(),
  })
  const run = await outer.run(`Ask about ${marker}.`)
  return { inner: innerModel.requests.map(({ messages }) => messages), outer: toolMessages(outerModel.requests), run }
}

const toolMessages = (requests: readonly { readonly messages: readonly { readonly role: string }[] }[]): unknown =>
  requests.map(({ messages }) => messages.filter(({ role }) => role === 'tool'))

/** Calls a tool over MCP and returns the response and the notifications. */
async function overMcp(name: string, args: object) {
  const progress: unknown[] = []
  const caller = inMemoryCaller({
    connect: (transport) => serveMcp(new Runtime(), { toolsets: [crm().registration, bank()], transport }),
  })
  const { signal } = new AbortController()
  const onProgress = (step: unknown): unknown => progress.push(step)
  const response = await caller.callTool({ name, arguments: { ...args } }, { signal, onProgress })
  await caller.close()
  return { response, progress }
}

const written = [[{ id: 'w', tool: 'find', arguments: JSON.stringify({ id: marker }) }]]
const framework = async ({ play }: typeof aiSdk): Promise<unknown> =>
  (await play(supportOf([]).support as never, written)).told

/** Runs in a session and returns what its store receives. */
async function savedBy(...steps: readonly ScriptStep[]): Promise<unknown> {
  const saved: unknown[] = []
  const inner = memoryStore()
  const save: typeof inner.save = (...args) => {
    saved.push(JSON.parse(JSON.stringify(args)))
    return inner.save(...args)
  }
  const { support } = supportOf([...steps, says(marker)])
  const store = { ...inner, save, isDurable: true }
  const sessions = new SessionRegistry({ agents: { support }, store, conversation: true })
  const session = await sessions.open('s', { userId: 'u', namespaces: ['support'] })
  await session.run(support, `Find ${marker}.`)
  await sessions.close('s')
  return saved
}

/** Records a run in a cassette and replays it. */
async function recorded(
  ...steps: readonly ScriptStep[]
): Promise<{ readonly file: string; readonly replayed: unknown }> {
  const folder = await mkdtemp(join(tmpdir(), 'trust-'))
  try {
    const path = join(folder, 'run.jsonl')
    const play = async (mode: 'record' | 'replay') => {
      const cassette = await openCassette(path, { mode })
      const model = scriptedModel([...steps, says(marker)])
      const agent = base(cassette.driver(model)).build()
      const support = new Runtime().registerAgent(design, [crm().registration, bank()], { agent })
      const run = await support.run(`Find ${marker}.`, { config: runConfig().layer(cassette.toolLayer()) })
      await cassette.close()
      return run
    }
    await play('record')
    const { status, messages } = await play('replay')
    return { file: await readFile(path, 'utf8'), replayed: { status, messages: messages.slice(2) } }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A tool whose result is too long for its model. */
async function shortened(): Promise<unknown> {
  const items = Array.from({ length: 9 }, (_, index) => ({ name: `${marker}-${index}`, email: secrets.email }))
  const list = tool({
    name: 'list',
    description: 'Lists.',
    parameters: {},
    maxResult: { items: 1 },
    sensitive: { result: { '/*/email': { model: 'pseudonym' } } },
    run: () => items,
  })
  const model = scriptedModel([
    calls({ tool: 'list', arguments: {} }),
    ({ messages }) => {
      const { more } = JSON.parse(String(messages.at(-1)?.content))
      return calls({ tool: 'read_result', arguments: more[0].arguments })
    },
    says('Done.'),
  ])
  const agent = base(model).build()
  await new Runtime().registerAgent(design, [toolset('l', list)], { agent }).run('List.')
  return toolMessages(model.requests)
}

/** Start of a program that knows the pseudonym of the email address. */
const knowing = `const text = JSON.stringify(await crm.find({ id: '${marker}' }))
const [email = ''] = /email_[0-9a-f]{12}@redacted.invalid/.exec(text) ?? []
`

/** Adds the marker to output that contains no texts of the call, if there is output. */
const markedIf = (output: object): unknown => [output, ...(Object.keys(output).length > 0 ? [marker] : [])]

/** A tool that reports details about its result. */
async function provenance(): Promise<unknown> {
  const detailed = tool({
    name: 'find',
    description: 'Finds.',
    parameters: {},
    sensitive: { result: { '/email': { events: 'omit' } } },
    run: () => provenanced({ email: secrets.email }, { extra: { source: `${marker} of ${secrets.email}` } }),
  })
  const events: RunEvent[] = []
  const runtime = new Runtime({ sinks: [(event) => events.push(event)] })
  await runtime.registerToolset(toolset('p', detailed)).execute({ tool: 'find', arguments: '{}' })
  return events
}

/** Runs an agent whose guardrails quote what they check. Returns the reports that sinks and tracers receive. */
async function guardrailReports(...steps: readonly ScriptStep[]): Promise<readonly unknown[]> {
  const reports: unknown[] = []
  const report = (quoted: unknown) =>
    ({
      action: 'flag',
      message: `${marker}: ${JSON.stringify(quoted)}`,
      info: { quoted: JSON.stringify(quoted) },
    }) as const
  const tracer: Tracer = {
    call: (_, work) => work(),
    run: (_, work) => work(),
    model: (_, work) => work(),
    guardrail: (each) => reports.push(each),
  }
  const guardrails = useGuardrails({
    input: [{ name: 'input', check: ({ text }) => report(text) }],
    toolCall: [{ name: 'call', check: (context) => report(context.arguments) }],
    toolResult: [{ name: 'result', check: ({ outcome, text }) => report([text, Object(outcome).result?.data]) }],
    output: [{ name: 'output', check: ({ text }) => report(text) }],
  })
  const sinks = [(event: RunEvent) => event.type === 'guardrail' && reports.push(event)]
  const { support } = supportOf([...steps, ends], { sinks, tracer }, base(scriptedModel([])).with(guardrails))
  await support.run(`Find ${marker}.`)
  return reports
}

const inCodeMode = () => base(scriptedModel([])).with(useCodeMode({ checker, sandbox }))

type Channel = readonly [name: string, read: () => Promise<unknown>]

const channels: readonly Channel[] = [
  ['event call_started: arguments and hint', () => ofType('call_started', finds)],
  ['event call_updated', () => ofType('call_updated', watches)],
  ['event call_ended: JSON', async () => (await endOf(finds)) as unknown],
  ['event call_ended: data', async () => Object(await endOf(finds)).result.data],
  ['event call_ended: hint', async () => Object((await ofType('call_ended', finds))[0]).hint],
  ['event call_ended: error', async () => Object(await endOf(fails)).error],
  ['event call_ended: hint for the model', async () => Object(await endOf(fails)).hint],
  ['event call_ended of a tool without sensitive fields', () => ofType('call_ended', finds, mails)],
  ['event call_ended: provenance', provenance],
  ['event call_started: invalid arguments', async () => markedIf(await ofType('call_started', breaks))],
  ['event call_ended: invalid arguments', async () => markedIf(await ofType('call_ended', breaks))],
  ['event run_ended', () => ofType('run_ended', finds)],
  ['events as a log prints them', async () => inspect(await eventsOf(finds, fails), { depth: 20 })],
  ['events of a run as JSON', () => eventsOf(finds, fails, watches)],
  ['parts of a run: items', () => partsOf('item', finds, fails)],
  ['parts of a run: deltas of text', () => partsOf('delta', finds)],
  ['parts of a run: deltas of arguments', () => partsOf('delta', finds, fails)],
  ['parts of a run: invalid arguments in items', async () => markedIf(Object(await partsOf('item', breaks, finds)))],
  ['parts of a run: invalid arguments in deltas', () => partsOf('delta', breaks, finds)],
  ['event stream to a browser', () => eventStreamResponse(supportOf([finds, ends]).support.run(marker)).text()],
  ['message stream to a browser', () => toUIMessageStreamResponse(supportOf([finds, ends]).support.run(marker)).text()],
  ['spans with content: arguments and results', async () => (await spansOf(finds)).trees()],
  ['spans with content: invalid arguments', async () => (await spansOf(breaks, finds)).trees()],
  ['spans with content: failures', async () => (await spansOf(fails)).trees()],
  ['metrics', async () => markedIf(await (await spansOf(finds)).points('toolgen.tool.calls'))],
  [
    'runtime metrics',
    async () => {
      const metrics = new RuntimeMetrics()
      await supportOf([finds, fails, ends], { tracer: metrics }).support.run(marker)
      return markedIf(metrics.snapshot().tools)
    },
  ],
  ['another tracer: calls, runs and models', () => traced(finds, fails)],
  ['another tracer: invalid arguments', () => traced(breaks, finds)],
  [
    'reports of guardrails',
    async () => {
      const reports = await guardrailReports(finds)
      return reports.length === 8 ? reports : []
    },
  ],
  ['reports of guardrails: invalid arguments', () => guardrailReports(breaks, finds)],
  ['requests to the model: results', () => requestsOf([finds])],
  ['requests to the model: invalid arguments', () => conversationOf(breaks)],
  ['requests to the model: failures', () => requestsOf([fails])],
  ['requests to the model: results of other tools', () => requestsOf([finds, mails])],
  [
    'text of an outcome for a model',
    async () => renderForModel(await supportOf([]).support.execute({ tool: 'find', arguments: '{}' })),
  ],
  [
    'updates for frameworks',
    async () => {
      const updates: unknown[] = []
      await supportOf([]).support.execute(
        { tool: 'watch', arguments: '{}' },
        { onUpdate: (update) => updates.push(update) },
      )
      return updates
    },
  ],
  ['shortened results and read_result', shortened],
  [
    'tool search',
    () =>
      requestsOf(
        [calls({ tool: 'search_tools', arguments: { query: 'find a customer' } }), finds],
        base(scriptedModel([])).with(useToolSearch({ keep: ['find'] })),
      ),
  ],
  [
    'code mode: value of a program',
    () => requestsOf([program(`return await crm.find({ id: '${marker}' })`)], inCodeMode()),
  ],
  [
    'code mode: console',
    () =>
      requestsOf(
        [program(`console.log(JSON.stringify(await crm.find({ id: '${marker}' })))\nreturn '${marker}'`)],
        inCodeMode(),
      ),
  ],
  [
    'code mode: a failed call',
    () =>
      requestsOf(
        [program(`${knowing}try { await crm.fail({ email }) } catch (error) { return String(error) }\nreturn 0`)],
        inCodeMode(),
      ),
  ],
  ['nested agent: requests to its model', async () => (await nested()).inner],
  ['nested agent: requests to the outer model', async () => (await nested()).outer],
  ['MCP server: result', async () => (await overMcp('find', { id: marker })).response],
  ['MCP server: failure', async () => (await overMcp('fail', { email: secrets.email })).response],
  [
    'MCP server: invalid arguments',
    async () => {
      const sent = invalidArguments.slice(4, 6).map((text) => JSON.parse(text))
      return markedIf(await Promise.all(sent.map(async (args) => (await overMcp('bank_charge', args)).response)))
    },
  ],
  ['MCP server: progress', async () => markedIf((await overMcp('watch', {})).progress)],
  ['AI SDK', () => framework(aiSdk)],
  ['LangChain', () => framework(langChain)],
  ['OpenAI Agents SDK', () => framework(openAiAgents)],
  ['suspended run', () => suspended([finds, mails])],
  ['suspended run: invalid arguments', () => suspended([breaks, finds, mails])],
  [
    'suspended program',
    () => suspended([program(`${knowing}return await crm.mail({ to: email, body: '${marker}' })`)], inCodeMode()),
  ],
  ['session store: conversation', () => savedBy(finds, mails)],
  ['session store: invalid arguments', () => savedBy(breaks, finds)],
  ['session store: streaming calls', () => savedBy(watches)],
  ['cassette', async () => (await recorded(finds, mails)).file],
  ['cassette: invalid arguments', async () => (await recorded(finds, breaks)).file],
  ['replay of a cassette', async () => (await recorded(finds, mails)).replayed],
  ['replay of a cassette: invalid arguments', async () => (await recorded(finds, breaks)).replayed],
]

describe('no secret leaves through', () => {
  it.each(channels)('%s', async (_, read) => {
    const output = await read()
    expect(JSON.stringify(output)).toContain(marker)
    expect(secretIn(output)).toBeUndefined()
  })

  it('at least 30 channels', () => {
    expect(channels.length).toBeGreaterThanOrEqual(30)
  })

  it('a nested agent answers the application with values', async () => {
    const { run } = await nested()
    expect(run.outcomes[0]).toMatchObject({ result: { data: secrets } })
  })
})
