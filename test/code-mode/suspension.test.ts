import {
  approval,
  type BoundAgent,
  type ExecutorRequest,
  Runtime,
  renderForModel,
  ToolFailure,
  type ToolOutcome,
  type ToolsetRegistration,
  toolsetRegistration,
} from '@toolgen/runtime'
import {
  type AgentRun,
  type Answers,
  answer,
  ask,
  base,
  callTools,
  type PendingAnswer,
  type Planner,
  type RunSuspension,
  signSuspensions,
  useTools,
} from '@toolgen/runtime/agents'
import { aiSdkTools } from '@toolgen/runtime/ai-sdk'
import {
  type CodeModeOptions,
  codeMode,
  quickJsSandbox,
  typescriptChecker,
  useCodeMode,
} from '@toolgen/runtime/code-mode'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { SessionRegistry } from '@toolgen/runtime/sessions'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { fixedEffects, toolOf, toolsetOf, useOf } from '../../packages/runtime/src/agents/orders.fixture.js'

const checker = typescriptChecker()
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

const item = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false }
const price = {
  type: 'object',
  properties: { id: { type: 'string' }, price: { type: 'number' } },
  required: ['id', 'price'],
}

/** A decision of the approver by the id of the item. */
type Decide = (id: string) => 'approve' | 'deny' | 'suspend'

interface ShopOptions extends CodeModeOptions {
  readonly runtime?: Runtime
  readonly field?: string
  readonly decide?: Decide
}

/** A shop in code mode: `buy` needs an approval, `weigh` gets its result from outside. */
class Shop {
  /** What the tools did. It outlives the shop of one process. */
  readonly done: string[]
  readonly #options: ShopOptions
  /** Resolved by `shop.open`. */
  #open: () => void = () => undefined
  readonly #opened: Promise<void>

  constructor(options: ShopOptions = {}, done: string[] = []) {
    this.#options = options
    this.done = done
    this.#opened = new Promise((resolve) => {
      this.#open = resolve
    })
  }

  /** The shop after a restart of the process. */
  restarted(options: ShopOptions = {}): Shop {
    return new Shop({ ...this.#options, ...options }, this.done)
  }

  get env() {
    const { decide = () => 'suspend' } = this.#options
    return {
      approval: {
        approve: async ({ arguments: payload }: { readonly arguments: unknown }) =>
          decide((payload as { readonly id: string }).id),
      },
    }
  }

  get registration(): ToolsetRegistration {
    const { field = 'id' } = this.#options
    const did = <Value>(text: string, value: Value): Value => {
      this.done.push(text)
      return value
    }
    const parameters = { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] }
    const execute = async ({ tool, payload }: ExecutorRequest): Promise<unknown> => {
      const { id = '' } = (await payload()) as { readonly id?: string }
      if (id === 'none') throw new ToolFailure('There is no such item.')
      if (tool.name === 'late') await this.#opened
      if (tool.name === 'open') this.#open()
      if (tool.name === 'open') return true
      return did(`${tool.name} ${id}`, { id, price: id.length })
    }
    return toolsetRegistration(
      useOf([
        toolOf('shop.find', { arguments: parameters, result: price }),
        toolOf('shop.buy', { arguments: item, result: price }),
        toolOf('shop.weigh', { arguments: item, result: { type: 'number' } }),
        toolOf('shop.late', { arguments: item, result: price }),
        toolOf('shop.open', { arguments: { type: 'object' }, result: { type: 'boolean' } }),
      ]),
      { execute },
    )
  }

  get tools(): BoundAgent<any> {
    const { runtime = new Runtime() } = this.#options
    return runtime
      .registerAgent({ name: 'shop', description: 'Sells.' }, [this.registration], {})
      .layer(approval({ when: ({ tool }) => tool.name === 'buy' }))
      .layer((next) => async (request) => {
        const waits = request.tool.name === 'weigh' && request.answer === undefined
        return waits ? request.suspend('external') : next(request)
      })
  }

  get program() {
    const { runtime = new Runtime(), field: _, decide: __, ...options } = this.#options
    return runtime.registerToolset(codeMode(this.tools, { checker, sandbox, ...options }))
  }

  run(code: string, options: object = {}): Promise<ToolOutcome> {
    return this.program.execute(programCall(code), { env: this.env, ...options })
  }

  resume(outcome: ToolOutcome, answers: Answers, options: object = {}): Promise<ToolOutcome> {
    return this.program.resumeCall(suspensionOf(outcome), answers, { env: this.env, ...options })
  }

  /** Answers all pending calls of a program. */
  answer(outcome: ToolOutcome, answer: PendingAnswer = 'approve'): Promise<ToolOutcome> {
    return this.restarted().resume(outcome, answersOf(programOf(outcome), answer))
  }
}

/** The suspension of a call, as JSON. */
function suspensionOf(outcome: ToolOutcome) {
  if (outcome.status !== 'suspended') throw new Error(`not suspended: ${renderForModel(outcome)}`)
  return JSON.parse(JSON.stringify(outcome.suspension)) as typeof outcome.suspension
}

function programOf(outcome: ToolOutcome): RunSuspension {
  const { nested } = suspensionOf(outcome)
  if (nested === undefined) throw new Error('no program waits')
  return nested
}

/** The same answer to all pending calls. */
function answersOf(waiting: Pick<RunSuspension, 'pending'> | undefined, answer: PendingAnswer = 'approve'): Answers {
  return Object.fromEntries(waiting?.pending.map(({ id }) => [id, answer]) ?? [])
}

const programCall = (code: string, toolCallId = 'p') => {
  return { tool: 'run_program', arguments: JSON.stringify({ code }), toolCallId }
}

const textOf = (outcome: ToolOutcome): unknown =>
  outcome.status === 'completed' ? JSON.parse(outcome.json) : renderForModel(outcome)

const causeOf = (outcome: ToolOutcome): unknown => (outcome.status === 'failed' ? outcome.error.cause : outcome)

const buyOne = `const lamp = await shop.find({ id: 'lamp' })
console.log('found', lamp.price)
const bought = await shop.buy({ id: lamp.id })
console.log('bought', Math.random() < 1)
const more = await shop.find({ id: 'shade' })
return [bought.id, more.id]`

describe('a program that calls a tool that needs an approval', () => {
  it('suspends the run of an agent, and continues in another process without repeating its calls', async () => {
    const desk = (shop: Shop): BoundAgent<any> => {
      const model = scriptedModel([
        calls({ tool: 'run_program', arguments: { code: buyOne } }),
        ({ messages }) => says(`It returned ${String(messages.at(-1)?.content)}.`),
      ])
      const agent = base(model)
        .with(useTools(codeMode(shop.tools, { checker, sandbox })))
        .build()
      return new Runtime().registerAgent({ name: 'clerk', description: 'Helps.' }, [], { agent })
    }
    const shop = new Shop()
    const clerk = desk(shop)
    const run: AgentRun = await clerk.run('Buy a lamp.', { env: shop.env })
    expect(run.suspension).toMatchObject({
      kind: 'approval',
      pending: [{ kind: 'approval', agent: 'shop', call: { tool: 'shop.buy', parentToolCallId: 'call_1_0' } }],
    })
    expect(run.suspension?.pending[0]?.id).toMatch(/^call_1_0\//)
    expect(shop.done).toEqual(['find lamp'])
    const stored: RunSuspension = JSON.parse(JSON.stringify(run.suspension))
    const [outcome] = stored.progress.outcomes
    if (outcome?.status !== 'suspended') throw new Error('the program is not suspended')
    expect(outcome.suspension.nested).toMatchObject({
      version: 1,
      agent: 'shop',
      messages: [],
      program: { version: 1, code: buyOne, seed: 1, replies: [0] },
      calls: [{ arguments: '{"id":"lamp"}' }, { arguments: '{"id":"lamp"}' }],
    })
    const answers = answersOf(stored)
    const again = await clerk.resume(stored, answers, { env: shop.env })
    expect(again.result?.text).toBe('It returned {"value":["lamp","shade"],"console":["found 4","bought true"]}.')
    expect(shop.done).toEqual(['find lamp', 'buy lamp', 'find shade'])
    const children = again.outcomes[0]?.provenance.children ?? []
    expect(children.map(({ tool: id }) => id)).toEqual(['shop.find', 'shop.buy', 'shop.find'])
    expect(new Set(children.map(({ toolCallId }) => toolCallId)).size).toBe(3)
    expect(await clerk.resume(stored, answers, { env: shop.env })).toMatchObject({
      status: 'failed',
      error: { cause: { code: 'already_resumed' } },
    })
    expect(shop.done).toHaveLength(3)
  })

  it.each([
    ['the call that waited', `return shop.buy({ id: 'lamp' })`, ['buy lamp']],
    [
      'a later call',
      `await shop.buy({ id: 'desk' })\nawait shop.find({ id: 'lamp' })\nreturn 1`,
      ['buy desk', 'find lamp'],
    ],
  ])('ends the run if %s has a final value', async (_, code, done) => {
    const shop = new Shop()
    const model = scriptedModel([calls({ tool: 'run_program', arguments: { code } }), says('The run went on.')])
    const final = shop.registration.layer((next) => async (request) => {
      const outcome = await next(request)
      const isFinal = outcome.status === 'completed' && request.arguments.includes('lamp')
      return isFinal ? { ...outcome, stop: { reason: 'final', value: 'sold' } } : outcome
    })
    const agent = base(model)
      .with(useTools(final))
      .layer(approval({ when: ({ tool }) => tool.name === 'buy' }))
      .with(useCodeMode({ checker, sandbox }))
      .build()
    const clerk = new Runtime().registerAgent({ name: 'clerk', description: 'Helps.' }, [], { agent })
    const { suspension } = await clerk.run('Buy a lamp.', { env: shop.env })
    if (suspension === undefined) throw new Error('the run did not wait')
    const run = await clerk.resume(JSON.parse(JSON.stringify(suspension)), answersOf(suspension), { env: shop.env })
    expect(run).toMatchObject({ status: 'completed', stop: { reason: 'final' }, result: { value: 'sold' } })
    expect(shop.done).toEqual(done)
  })

  it('suspends a single call, which continues with `resumeCall`', async () => {
    const shop = new Shop()
    const waiting = await shop.run(buyOne)
    expect(renderForModel(waiting)).toBe(
      "The call has started and waits for the approval of a person. Its result will follow later. These calls were completed: shop.find({ id: 'lamp' }). Do not repeat calls with effects.",
    )
    const outcome = await shop.answer(waiting)
    expect(textOf(outcome)).toEqual({ value: ['lamp', 'shade'], console: ['found 4', 'bought true'] })
    expect(outcome.call).toEqual({ tool: 'program.run_program', toolCallId: 'p' })
    expect(shop.done).toEqual(['find lamp', 'buy lamp', 'find shade'])
  })

  it('can have a Markdown fence, also when it continues', async () => {
    const shop = new Shop()
    const waiting = await shop.run(`\`\`\`ts\n${buyOne}\n\`\`\``)
    expect(textOf(await shop.answer(waiting))).toMatchObject({ value: ['lamp', 'shade'] })
  })

  it('does not mention completed calls if no call has completed', async () => {
    expect(renderForModel(await new Shop().run(`return shop.buy({ id: 'lamp' })`))).toBe(
      'The call has started and waits for the approval of a person. Its result will follow later.',
    )
  })

  it('throws in the program if the call is denied, with the reason', async () => {
    const code = `try { return await shop.buy({ id: 'lamp' }) }
      catch (error) { return error instanceof Error ? error.message : null }`
    const shop = new Shop()
    const reason = 'Too expensive.'
    expect(textOf(await shop.answer(await shop.run(code), { decision: 'deny', reason }))).toEqual({ value: reason })
    for (const denial of ['deny', { decision: 'deny', reason: '' }, { decision: 'deny', reason: ' ' }] as const) {
      const uncaught = await shop.answer(await shop.run(`return shop.buy({ id: 'lamp' })`), denial)
      expect(renderForModel(uncaught)).toContain('The approval was not granted.')
    }
    expect(shop.done).toEqual([])
  })

  it('waits several times, one after the other', async () => {
    const code = `const all: string[] = []
      for (const id of ['a', 'b', 'c']) { all.push((await shop.buy({ id })).id); await shop.find({ id }) }
      return all`
    const shop = new Shop()
    let outcome = await shop.run(code)
    for (let waits = 0; waits < 3; waits += 1) outcome = await shop.answer(outcome)
    expect(textOf(outcome)).toEqual({ value: ['a', 'b', 'c'] })
    expect(shop.done).toEqual(['buy a', 'find a', 'buy b', 'find b', 'buy c', 'find c'])
  })

  it('waits for several calls at the same time, and lets other calls end first', async () => {
    const code = `const one = shop.buy({ id: 'one' }), two = shop.buy({ id: 'two' })
      const [found, weight] = await Promise.all([shop.find({ id: 'lamp' }), shop.weigh({ id: 'lamp' })])
      const both = await Promise.all([one, two])
      return [found.id, weight, ...both.map(({ id }) => id)]`
    const shop = new Shop()
    let outcome = await shop.run(code)
    const ids = new Map<unknown, string>()
    for (const { id, arguments: sent, kind } of programOf(outcome).pending) ids.set(`${kind} ${sent}`, id)
    expect([...ids.keys()]).toEqual(['approval {"id":"one"}', 'approval {"id":"two"}', 'external {"id":"lamp"}'])
    expect(shop.done).toEqual(['find lamp'])
    const idOf = (key: string): string => String(ids.get(key))
    outcome = await shop.restarted().resume(outcome, { [idOf('approval {"id":"two"}')]: 'approve' })
    expect(programOf(outcome).pending).toHaveLength(2)
    expect(programOf(outcome).program?.replies).toEqual([2, 1])
    outcome = await shop.restarted().resume(outcome, { [idOf('external {"id":"lamp"}')]: { result: 7 } })
    outcome = await shop.restarted().resume(outcome, { [idOf('approval {"id":"one"}')]: 'approve' })
    expect(textOf(outcome)).toEqual({ value: ['lamp', 7, 'one', 'two'] })
    expect(shop.done).toEqual(['find lamp', 'buy two', 'buy one'])
  })

  it('repeats failed calls as failed, and results in the order in which they arrived', async () => {
    const code = `const late = shop.late({ id: 'late' })
      const failed = await shop.find({ id: 'none' }).catch((error: unknown) => (error instanceof Error ? error.message : ''))
      const quick = shop.open()
      const first = await Promise.race([late.then(() => 'late'), quick.then(() => 'quick')])
      await Promise.all([late, quick])
      if (first === 'quick') await shop.find({ id: 'quick' })
      else await shop.find({ id: 'slow' })
      await shop.buy({ id: first })
      return [failed, first]`
    const shop = new Shop()
    const waiting = await shop.run(code)
    const { replies } = programOf(waiting).program ?? {}
    const first = shop.done.includes('find quick') ? 'quick' : 'slow'
    const order = first === 'quick' ? [1, 2, 0, 3] : [1, 0, 2, 3]
    expect(replies).toEqual(order)
    const outcome = await shop.answer(waiting)
    const word = first === 'quick' ? 'quick' : 'late'
    expect(textOf(outcome)).toEqual({ value: ['There is no such item.', word] })
    expect(shop.done).toEqual(['late late', `find ${first}`, `buy ${word}`])
    // The other order, as another process could have recorded it.
    const other = suspensionOf(waiting)
    Object.assign(other.nested?.program ?? {}, { replies: first === 'quick' ? [1, 0, 2, 3] : [1, 2, 0, 3] })
    const answers = answersOf(other.nested)
    const changed = await shop.restarted().program.resumeCall(other, answers, { env: shop.env })
    expect(renderForModel(changed)).toMatch(/Call 4 \(shop\.find\) had the arguments .*, and now has /)
    expect(shop.done).toHaveLength(3)
  })
})

describe('a suspended program', () => {
  it('continues only once', async () => {
    const shop = new Shop({ runtime: new Runtime() })
    const { program, env } = shop
    const waiting = await program.execute(programCall(buyOne), { env })
    const answers = answersOf(programOf(waiting))
    const both = await Promise.all([1, 2].map(() => program.resumeCall(suspensionOf(waiting), answers, { env })))
    expect(both.map(({ status }) => status).sort()).toEqual(['completed', 'failed'])
    expect(both.map(causeOf)).toContainEqual(expect.objectContaining({ code: 'already_resumed' }))
    expect(shop.done).toEqual(['find lamp', 'buy lamp', 'find shade'])
  })

  it('is refused if its journal was changed after it was signed', async () => {
    const runtime = () => new Runtime({ suspensions: signSuspensions({ key: 'k'.repeat(32) }) })
    const shop = new Shop({ runtime: runtime() })
    const waiting = await shop.run(buyOne)
    const answers = answersOf(programOf(waiting))
    const changed = suspensionOf(waiting)
    const [found] = changed.nested?.progress.outcomes ?? []
    Object.assign(found ?? {}, { json: '{"id":"yacht","price":1}' })
    const { program, env } = shop.restarted({ runtime: runtime() })
    expect(causeOf(await program.resumeCall(changed, answers, { env }))).toMatchObject({ code: 'invalid_signature' })
    expect(shop.done).toEqual(['find lamp'])
    expect(textOf(await program.resumeCall(suspensionOf(waiting), answers, { env }))).toMatchObject({
      value: ['lamp', 'shade'],
    })
  })

  it('ends with the first difference if it makes other calls than before', async () => {
    const shop = new Shop()
    const waiting = await shop.run(buyOne)
    const change = async (work: (program: RunSuspension) => void): Promise<string> => {
      const changed = suspensionOf(waiting)
      if (changed.nested !== undefined) work(changed.nested)
      const answers = answersOf(changed.nested)
      return renderForModel(await shop.restarted().program.resumeCall(changed, answers, { env: shop.env }))
    }
    const intro = 'The program cannot continue, because it behaves differently than before its suspension.'
    const done = 'These calls were completed: shop.'
    expect(await change(({ calls: [first] }) => Object.assign(first ?? {}, { arguments: '{"id":"desk"}' }))).toContain(
      `${intro} Call 1 (shop.find) had the arguments {"id":"desk"}, and now has {"id":"lamp"}. ${done}`,
    )
    expect(
      await change(({ calls: [first] }) => Object.assign(first ?? {}, { tool: 'shop.late', toolName: 'shop_late' })),
    ).toContain(`${intro} Call 1 was shop.late, and is now shop.find. ${done}`)
    expect(
      await change(({ progress: { outcomes } }) =>
        Object.assign(outcomes[0] ?? {}, { json: '{"id":"desk","price":1}' }),
      ),
    ).toContain(`Call 2 (shop.buy) had the arguments {"id":"lamp"}, and now has {"id":"desk"}.`)
    expect(shop.done).toEqual(['find lamp'])
  })

  it('is read with the errors of suspensions', async () => {
    const shop = new Shop()
    const waiting = await shop.run(buyOne, { sessionId: 's-1' })
    const codeOf = async (work: (program: any) => void, options: object = { sessionId: 's-1' }): Promise<unknown> => {
      // `any`: changed suspensions have no type.
      const changed = suspensionOf(waiting)
      work(changed.nested)
      const answers = answersOf(changed.nested)
      const outcome = await shop.restarted().program.resumeCall(changed, answers, { env: shop.env, ...options })
      return (causeOf(outcome) as { readonly code?: string } | undefined)?.code
    }
    const same = (): void => undefined
    expect(await codeOf(same, {})).toBe('wrong_session')
    expect(await codeOf((program) => Object.assign(program, { pending: [] }))).toBe('invalid_form')
    expect(await codeOf(({ program }) => Object.assign(program, { version: 2 }))).toBe('newer_version')
    expect(await codeOf(({ program }) => Object.assign(program, { code: 'return 1' }))).toBe('invalid_form')
    expect(await codeOf(({ program }) => Object.assign(program, { replies: [] }))).toBe('invalid_form')
    expect(await codeOf(({ program }) => Object.assign(program, { replies: [0, 0] }))).toBe('invalid_form')
    expect(await codeOf(({ program }) => Object.assign(program, { replies: [1] }))).toBe('invalid_form')
    expect(await codeOf((nested) => delete nested.program)).toBe('invalid_form')
    expect(await codeOf(({ progress }) => Object.assign(progress.outcomes[0], { json: '{"id":1}' }))).toBe(
      'changed_result',
    )
    expect(await codeOf((nested) => Object.assign(nested, { agent: 'other' }))).toBe('wrong_agent')
    const answered = await shop.restarted().resume(waiting, { other: 'approve' }, { sessionId: 's-1' })
    expect(causeOf(answered)).toMatchObject({ code: 'wrong_answers' })
    expect(shop.done).toEqual(['find lamp'])
    const run = await shop.tools.resume(programOf(waiting), 'approve' as never, { env: shop.env, sessionId: 's-1' })
    expect(run.error?.cause).toMatchObject({ code: 'wrong_agent' })
    expect(await codeOf(same)).toBeUndefined()
    expect(shop.done).toEqual(['find lamp', 'buy lamp', 'find shade'])
  })

  it('is checked again, and ends with a hint if the tools have changed', async () => {
    const shop = new Shop()
    const waiting = await shop.run(buyOne)
    const answers = answersOf(programOf(waiting))
    const outcome = await shop.restarted({ field: 'item' }).resume(waiting, answers)
    expect(renderForModel(outcome)).toContain('The program cannot continue, because its tools have changed.\nLine 1: ')
    expect(renderForModel(outcome)).toContain("These calls were completed: shop.find({ id: 'lamp' }).")
    expect(outcome).toMatchObject({ hint: { action: 'replan' } })
  })

  it('stays within its limits over all its parts', async () => {
    const code = `for (const id of ['a', 'b']) { await shop.find({ id }); await shop.buy({ id }) }
      console.log('0123456789')
      return shop.find({ id: 'c' })`
    const shop = new Shop({ limits: { calls: 4, logCharacters: 10 } })
    const waiting = await shop.answer(await shop.run(code))
    const outcome = await shop.answer(waiting)
    expect(renderForModel(outcome)).toContain('The program made more than 4 calls.')
    expect(shop.done).toEqual(['find a', 'buy a', 'find b', 'buy b'])
  })

  it('counts the time of its parts, without the time in which it waits, and reads the time of its start', async () => {
    const effects = fixedEffects()
    const decide: Decide = () => {
      effects.advance(40)
      return 'suspend'
    }
    const code = `const start = new Date().getTime()
      for (const id of ['a', 'b']) await shop.buy({ id })
      return [start, new Date().getTime()]`
    const shop = new Shop({ decide, runtime: new Runtime({ effects }) })
    const first = await shop.run(code)
    expect(programOf(first)).toMatchObject({ suspendedAt: 1_040, program: { now: 1_000 }, progress: { elapsedMs: 40 } })
    effects.advance(1_000_000)
    const second = await shop.restarted({ runtime: new Runtime({ effects }) }).answer(first)
    expect(programOf(second).progress.elapsedMs).toBe(80)
    expect(textOf(await shop.restarted({ runtime: new Runtime({ effects }) }).answer(second))).toEqual({
      value: [1_000, 1_000],
    })
  })

  it('cannot continue when its time is over', async () => {
    const shop = new Shop({ limits: { totalMs: 60_000 } })
    const waiting = await shop.run(buyOne)
    const late = suspensionOf(waiting)
    Object.assign(late.nested?.progress ?? {}, { elapsedMs: 60_000 })
    const outcome = await shop.restarted().program.resumeCall(late, answersOf(late.nested), { env: shop.env })
    expect(renderForModel(outcome)).toContain(
      'The program took too long (limits: 2000 ms of computing, 60000 ms in total).',
    )
    expect(shop.done).toEqual(['find lamp'])
  })

  it('cannot be a call that waits itself', async () => {
    const shop = new Shop()
    const { tools } = shop
    const call = { tool: 'shop.buy', arguments: '{"id":"lamp"}' }
    const waiting = await tools.execute(call, { env: shop.env })
    expect(await tools.resumeCall(suspensionOf(waiting), {}, { env: shop.env })).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining("The call of 'shop.buy' cannot continue") },
    })
  })
})

/** An agent `research` that the model of `planner` runs, and an agent `desk` whose one tool is `research`. */
function researchers(research: Parameters<Runtime['registerAgent']>[2]) {
  const runtime = new Runtime()
  const descriptor = { name: 'research', description: 'Finds out.' }
  const inner = runtime.registerAgent(descriptor, [], research)
  const ask = toolOf('investigation.ask', {
    arguments: { type: 'object', properties: { about: { type: 'string' } }, required: ['about'] },
    result: { type: 'string' },
  })
  const exported = { toolset: toolsetOf(ask), agent: descriptor, tools: { ask: { prose: true } } }
  const registration = agentToolsetRegistration(exported, inner)
  return { runtime, registration }
}

describe('a program over nested agents', () => {
  it('waits for the answer to a question of an agent that it calls', async () => {
    const planner: Planner = ({ messages }) =>
      messages.at(-1)?.content === 'The red one' ? answer('It is red.') : ask('Which lamp?')
    const { runtime, registration } = researchers({ planner })
    const desk = runtime.registerAgent({ name: 'desk', description: 'Asks.' }, [registration], {})
    const program = runtime.registerToolset(codeMode(desk, { checker, sandbox }))
    const waiting = await program.execute(programCall(`return investigation.ask({ about: 'lamps' })`))
    expect(suspensionOf(waiting)).toMatchObject({ kind: 'clarification', prompt: 'Which lamp?' })
    expect(programOf(waiting).pending).toMatchObject([
      { kind: 'clarification', agent: 'research', prompt: 'Which lamp?' },
    ])
    expect(textOf(await program.resumeCall(suspensionOf(waiting), 'The red one'))).toEqual({ value: 'It is red.' })
  })

  it('rises through the agents above it', async () => {
    const shop = new Shop()
    const model = scriptedModel([
      calls({ tool: 'run_program', arguments: { code: `return (await shop.buy({ id: 'lamp' })).id` } }),
      ({ messages }) => says(String(messages.at(-1)?.content)),
    ])
    const agent = base(model)
      .with(useTools(codeMode(shop.tools, { checker, sandbox })))
      .build()
    const { runtime, registration } = researchers({ agent })
    const planner: Planner = ({ outcomes }) =>
      outcomes.length === 0
        ? callTools({ tool: 'investigation.ask', arguments: '{"about":"lamps"}', toolCallId: 'a' })
        : answer(outcomes[0]?.status ?? '')
    const desk: BoundAgent<any> = runtime.registerAgent({ name: 'desk', description: 'Asks.' }, [registration], {
      planner,
    })
    const run = await desk.run('Buy a lamp.', { env: shop.env })
    expect(run.suspension?.pending).toMatchObject([{ agent: 'shop', call: { tool: 'shop.buy' } }])
    expect(run.suspension?.pending[0]?.id.split('/')).toHaveLength(3)
    const stored: RunSuspension = JSON.parse(JSON.stringify(run.suspension))
    const resumed = await desk.resume(stored, answersOf(stored), { env: shop.env })
    expect(resumed.outcomes).toMatchObject([{ status: 'completed', json: '"{\\"value\\":\\"lamp\\"}"' }])
    expect(shop.done).toEqual(['buy lamp'])
  })
})

describe('an agent that uses code mode', () => {
  const build = (shop: Shop, replies: Parameters<typeof scriptedModel>[0]): BoundAgent<any> => {
    const agent = base(scriptedModel(replies)).with(useCodeMode({ checker, sandbox })).build()
    return new Runtime()
      .registerAgent({ name: 'clerk', description: 'Helps.' }, [shop.registration], { agent })
      .layer(approval({ when: ({ tool }) => tool.name === 'buy' }))
  }
  const replies = [
    calls({ tool: 'run_program', arguments: { code: buyOne } }),
    ({ messages }: { readonly messages: readonly { readonly content?: unknown }[] }) =>
      says(String(messages.at(-1)?.content)),
  ]

  it('waits and continues in another process, with one event for each part of a call', async () => {
    const shop = new Shop()
    const run = await build(shop, replies).run('Buy a lamp.', { env: shop.env })
    expect(run.suspension?.pending).toMatchObject([{ agent: 'clerk', call: { tool: 'shop.buy' } }])
    const eventsOf = ({ events }: AgentRun): readonly string[] =>
      events.flatMap((event) =>
        event.type === 'call_started'
          ? [`start ${event.call.tool}`]
          : event.type === 'call_ended'
            ? [`${event.outcome.status} ${event.call.tool}`]
            : [],
      )
    expect(eventsOf(run)).toEqual([
      'start program.run_program',
      'start shop.find',
      'completed shop.find',
      'start shop.buy',
      'suspended shop.buy',
      'suspended program.run_program',
    ])
    const stored: RunSuspension = JSON.parse(JSON.stringify(run.suspension))
    const resumed = await build(shop, replies.slice(1)).resume(stored, answersOf(stored), { env: shop.env })
    expect(resumed.result?.text).toBe('{"value":["lamp","shade"],"console":["found 4","bought true"]}')
    expect(eventsOf(resumed)).toEqual([
      'start program.run_program',
      'start shop.buy',
      'completed shop.buy',
      'start shop.find',
      'completed shop.find',
      'completed program.run_program',
    ])
    expect(resumed.usage.toolCalls).toBe(4)
    expect(shop.done).toEqual(['find lamp', 'buy lamp', 'find shade'])
  })

  it('waits in a session', async () => {
    const shop = new Shop()
    const clerk = build(shop, replies)
    const session = await new SessionRegistry({ agents: { clerk } }).open('s-1', {
      userId: 'u-1',
      namespaces: ['clerk'],
    })
    const run = await session.run(clerk, 'Buy a lamp.', { env: shop.env })
    const stored: RunSuspension = JSON.parse(JSON.stringify(run.suspension))
    const resumed = await session.resume(clerk, stored, answersOf(stored), { env: shop.env })
    expect(resumed.status).toBe('completed')
    expect(shop.done).toEqual(['find lamp', 'buy lamp', 'find shade'])
  })
})

it('a program that waits in the AI SDK ends its call with the status `suspended`', async () => {
  const shop = new Shop()
  const { run_program: program } = aiSdkTools(shop.program, { context: { env: shop.env } })
  const output = await program?.execute?.({ code: buyOne }, { toolCallId: 'p', messages: [] })
  expect(output).toEqual({
    status: 'suspended',
    kind: 'approval',
    text: "The call has started and waits for the approval of a person. Its result will follow later. These calls were completed: shop.find({ id: 'lamp' }). Do not repeat calls with effects.",
  })
  expect(shop.done).toEqual(['find lamp'])
})

it('a program is not started in a closed runtime', async () => {
  const runtime = new Runtime()
  const shop = new Shop()
  const program = new Runtime().registerToolset(codeMode(new Shop({ runtime }, shop.done).tools, { checker, sandbox }))
  await runtime.close()
  const outcome = await program.execute(programCall(buyOne), { env: shop.env })
  expect(renderForModel(outcome)).toContain('The runtime is closed')
  expect(shop.done).toEqual([])
})
