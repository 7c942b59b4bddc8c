import { Runtime, tool, toolset } from '@toolgen/runtime'
import { encryptSensitive, modelPlanner } from '@toolgen/runtime/agents'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import {
  type DurableAgents,
  type DurableInput,
  type DurableInvocation,
  type DurableResult,
  durableAgents,
  durableInput,
  runInvocation,
} from '@toolgen/runtime/durable'
import { calls, memoryEngine, type ScriptStep, says, scriptedModel } from '@toolgen/runtime/testing'
import { describe, expect, it } from 'vitest'
import { crm, marker, pseudonymsIn, secretIn, secrets } from '../trust/crm.fixture.js'

const cipher = { sensitive: encryptSensitive({ key: 'k'.repeat(32) }) }
const processes = [
  ['with a cipher', cipher],
  ['without a cipher', {}],
] as const

const find = calls({ tool: 'find', arguments: { id: marker } })
const mail: ScriptStep = ({ messages }) => {
  const { email = '', salary = '' } = pseudonymsIn(messages)
  return calls({ tool: 'mail', arguments: { to: email, amount: salary } })
}
const report: ScriptStep = ({ messages }) => says(`Sent to ${pseudonymsIn(messages).to}.`)

/** A process with its own runtime. */
function newProcess(steps: readonly ScriptStep[], options: ConstructorParameters<typeof Runtime>[0] = cipher) {
  const { registration, received } = crm()
  const model = scriptedModel(steps)
  const design = { name: 'support', description: 'Helps.' }
  const support = new Runtime(options).registerAgent(design, [registration], { planner: modelPlanner(model) })
  const agents = durableAgents({ agents: { support }, unknownOutcome: 'repeat', sessions: { conversation: true } })
  return { received, model, agents }
}

/** Agents of the first process until `moves` has been called, then those of the second. */
function moving(first: { readonly agents: DurableAgents }, second: { readonly agents: DurableAgents }) {
  let current = first
  const agents: DurableAgents = {
    ...first.agents,
    get agents() {
      return current.agents.agents
    },
  }
  const move = (): true => {
    current = second
    return true
  }
  return { agents, move }
}

describe.each(processes)('another process, %s,', (_, options) => {
  it.each(['before', 'after'] as const)(
    'continues with the pseudonyms of the model after a crash %s a call',
    async (at) => {
      const first = newProcess([find, mail], options)
      const second = newProcess([report], options)
      const { agents, move } = moving(first, second)
      const engine = memoryEngine(agents, {
        crash: ({ step, when, attempt }) => attempt === 1 && step.startsWith('crm.mail') && when === at && move(),
      })
      const { runId } = await engine.start('support', 'Write.')
      const run = await engine.result(runId)
      expect(run.result?.text).toBe(`Sent to ${secrets.email}.`)
      expect([...first.received, ...second.received].filter(({ tool }) => tool === 'mail')).toEqual([
        { tool: 'mail', args: { to: secrets.email, amount: secrets.salary } },
      ])
      expect(second.model.requests).toHaveLength(1)
      expect(secretIn(second.model.requests.map(({ messages }) => messages))).toBeUndefined()
    },
  )

  it('continues a session with the pseudonyms in its messages', async () => {
    const first = newProcess([find, says('Found.')], options)
    const second = newProcess([mail, report], options)
    const { agents, move } = moving(first, second)
    const engine = memoryEngine(agents)
    const session = await engine.openSession('s-1', { userId: 'u-1', namespaces: ['support'] })
    await engine.result((await session.run('support', 'Look.')).runId)
    move()
    const run = await engine.result((await session.run('support', 'Write.')).runId)
    expect(run.result?.text).toBe(`Sent to ${secrets.email}.`)
    expect(second.received).toEqual([{ tool: 'mail', args: { to: secrets.email, amount: secrets.salary } }])
    expect(secretIn(second.model.requests.map(({ messages }) => messages))).toBeUndefined()
  })
})

/** The only attempt of an invocation. Keeps all that the engine stores. */
class RecordedAttempt implements DurableInvocation {
  readonly attempt = '1'
  readonly signal = new AbortController().signal
  readonly id: string
  readonly #agents: DurableAgents
  readonly #stored: unknown[]

  constructor(agents: DurableAgents, stored: unknown[], id = 'r') {
    this.#agents = agents
    this.#stored = stored
    this.id = id
  }

  async step(_name: string, work: () => Promise<any>) {
    const record = await work()
    this.#stored.push(record)
    return JSON.parse(JSON.stringify(record))
  }

  async invoke(_agent: string, id: string, input: DurableInput): Promise<DurableResult> {
    this.#stored.push(input)
    const child = new RecordedAttempt(this.#agents, this.#stored, id)
    const result = (await runInvocation(child, this.#agents, JSON.parse(JSON.stringify(input)))) as DurableResult
    this.#stored.push(result)
    return JSON.parse(JSON.stringify(result))
  }

  publish(_position: number, events: unknown): void {
    this.#stored.push(events)
  }

  async answer(): Promise<undefined> {}
  async sleep(): Promise<void> {}
  cancel(): void {}
  tell(): void {}
}

it('with a cipher, records and nested runs contain no secret, and nested models read none', async () => {
  const { registration, received } = crm()
  const runtime = new Runtime(cipher)
  const innerModel = scriptedModel([
    ({ messages }) => {
      const [email = ''] = /\w+@redacted\.invalid/.exec(JSON.stringify(messages)) ?? []
      return calls({ tool: 'mail', arguments: { to: email } })
    },
    report,
  ])
  const inner = runtime.registerAgent({ name: 'inner', description: 'Mails.' }, [registration], {
    planner: modelPlanner(innerModel),
  })
  const ask = tool({
    name: 'ask',
    description: 'Asks.',
    parameters: { type: 'object', properties: { task: { type: 'string' } } },
    run: () => null,
  })
  const { toolset: desk } = toolset('desk', ask).use
  const served = agentToolsetRegistration({ toolset: desk, agent: inner.agent, tools: { ask: { prose: true } } }, inner)
  const outerModel = scriptedModel([
    find,
    ({ messages }) => calls({ tool: 'ask', arguments: { task: `Write to ${pseudonymsIn(messages).email}.` } }),
    ({ messages }) => says(`Done: ${messages.at(-1)?.content}`),
  ])
  const outer = runtime.registerAgent({ name: 'outer', description: 'Helps.' }, [registration, served], {
    planner: modelPlanner(outerModel),
  })
  const stored: unknown[] = []
  const agents = durableAgents({ agents: { inner, outer } })
  const attempt = new RecordedAttempt(agents, stored)
  const run = (await runInvocation(attempt, agents, durableInput('outer', 'Write.'))) as DurableResult
  expect(received.at(-1)).toEqual({ tool: 'mail', args: { to: secrets.email } })
  expect(run.result?.text).toContain(`"to":"${secrets.email}"`)
  expect(JSON.stringify(stored)).toContain(marker)
  expect(JSON.stringify(stored)).toContain('r/')
  expect(secretIn(stored)).toBeUndefined()
  for (const { requests } of [innerModel, outerModel]) {
    expect(secretIn(requests.map(({ messages }) => messages))).toBeUndefined()
  }
})
