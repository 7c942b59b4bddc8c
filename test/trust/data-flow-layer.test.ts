import {
  type ApprovalRequest,
  approval,
  type DataFlowCall,
  type DataFlowOptions,
  dataFlow,
  type HasApproval,
  Runtime,
  runConfig,
  type ToolLayer,
  type ToolOutcome,
  type ToolsetRegistration,
  tool,
  toolset,
  toolsetRegistration,
} from '@toolgen/runtime'
import {
  type AgentRun,
  answer,
  base,
  callTools,
  type Planner,
  type RunSuspension,
  usePlanner,
  useTools,
} from '@toolgen/runtime/agents'
import { quickJsSandbox, typescriptChecker, useCodeMode } from '@toolgen/runtime/code-mode'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { durableAgents } from '@toolgen/runtime/durable'
import { cache } from '@toolgen/runtime/resilience'
import { SessionRegistry } from '@toolgen/runtime/sessions'
import { type CrashPoint, memoryEngine } from '@toolgen/runtime/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { executorOf, toolOf, toolsetOf, useOf } from '../../packages/runtime/src/agents/orders.fixture.js'

const checker = typescriptChecker()
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

const parameters = { type: 'object', properties: { text: { type: 'string' } } } as const

/** The tools of a desk. `sent` has the mails that were sent. */
function desk(sent: string[] = []): ToolsetRegistration {
  const plain = (name: string, more: Partial<Parameters<typeof tool>[0]> = {}) =>
    tool({ name, description: `Does ${name}.`, parameters, run: () => name, ...more })
  return toolset(
    'desk',
    plain('page', { reads: 'untrusted', annotations: { readOnly: true } }),
    plain('broken', {
      reads: 'untrusted',
      run: () => {
        throw new Error('the page is gone')
      },
    }),
    plain('customer', { reads: ['private'], annotations: { readOnly: true } }),
    plain('clock', { reads: [] }),
    plain('mail', {
      writes: ['irreversible', 'external'],
      run: ({ text }) => {
        sent.push(text)
        return 'sent'
      },
    }),
  )
}

let ids = 0
const call = (name: string, text = 'hello') => {
  ids += 1
  return { tool: name, toolCallId: `${name}-${ids}`, arguments: JSON.stringify({ text }) }
}

/** Calls the tools of one array in each step, then answers. */
const steps =
  (...names: readonly (readonly string[])[]): Planner =>
  ({ turn }) => {
    const next = names[turn - 1]
    return next === undefined ? answer('done') : callTools(...next.map((name) => call(name)))
  }

function clerk(planner: Planner, registration: ToolsetRegistration = desk(), runtime = new Runtime()) {
  return runtime.registerAgent({ name: 'clerk', description: 'Helps.' }, [registration], { planner })
}

/** An approver, and the requests that it received. */
function approver(decision: 'approve' | 'deny' | 'suspend') {
  const requests: ApprovalRequest[] = []
  const env: HasApproval = {
    approval: {
      approve: async (request) => {
        requests.push(request)
        return decision
      },
    },
  }
  return { env, requests }
}

const last = ({ outcomes }: Pick<AgentRun, 'outcomes'>): ToolOutcome => {
  const outcome = outcomes.at(-1)
  if (outcome === undefined) throw new Error('the run made no call')
  return outcome
}

const reasonOf = (outcome: ToolOutcome): string => (outcome.status === 'failed' ? outcome.hint.reason : outcome.status)

/** Runs the steps with the layer in the run configuration. `env` is never asked. */
async function denied(planner: Planner, options: Omit<DataFlowOptions, 'on'> = {}): Promise<string> {
  const config = runConfig().layer(dataFlow({ on: 'deny', ...options }))
  return reasonOf(last(await clerk(planner).run('Go.', { config })))
}

describe('dataFlow in a run', () => {
  it.each<[string, readonly (readonly string[])[], string]>([
    ['private and untrusted, in two steps', [['customer'], ['page'], ['mail']], 'denied'],
    ['private and untrusted, in one step', [['page', 'customer'], ['mail']], 'denied'],
    ['a failed call of a tool that ran', [['customer'], ['broken'], ['mail']], 'denied'],
    ['private data only', [['customer'], ['mail']], 'completed'],
    ['untrusted text only', [['page'], ['mail']], 'completed'],
    ['a tool that declares no data', [['customer'], ['clock'], ['mail']], 'completed'],
    ['reads of the same step, which the arguments cannot contain', [['page', 'customer', 'mail']], 'completed'],
    ['a tool without effects', [['page', 'customer'], ['clock']], 'completed'],
  ])('after %s', async (_, names, expected) => {
    expect(await denied(steps(...names))).toBe(expected)
  })

  it('tells the model which calls caused the denial, and runs nothing', async () => {
    const sent: string[] = []
    const agent = clerk(steps(['customer'], ['page'], ['mail']), desk(sent))
    const outcome = last(await agent.run('Go.', { config: runConfig().layer(dataFlow({ on: 'deny' })) }))
    expect(outcome.status === 'failed' && outcome.hint).toEqual({
      reason: 'denied',
      action: 'replan',
      tool: 'desk.mail',
      message:
        'Not allowed: this conversation has read private data (desk.customer) and untrusted text (desk.page), and desk.mail can send data to outsiders and has an effect that cannot be undone. Do not repeat the call, and do not send the data in another way. Continue without it, or state which step is left.',
    })
    expect(sent).toEqual([])
  })

  it.each(['approve', 'deny'] as const)('asks the approver, who sees labels and calls: %s', async (decision) => {
    const sent: string[] = []
    const { env, requests } = approver(decision)
    const agent = clerk(steps(['customer'], ['page'], ['mail']), desk(sent)).layer(dataFlow())
    const outcome = last(await agent.run('Go.', { env }))
    expect(requests).toMatchObject([
      {
        tool: 'desk.mail',
        arguments: { text: 'hello' },
        prompt:
          'This conversation has read private data (desk.customer) and untrusted text (desk.page), and desk.mail can send data to outsiders and has an effect that cannot be undone.',
        dataFlow: {
          labels: ['private', 'untrusted'],
          sources: [
            { tool: 'desk.customer', reads: ['private'] },
            { tool: 'desk.page', reads: ['untrusted'] },
          ],
        },
      },
    ])
    expect([reasonOf(outcome), sent]).toEqual(decision === 'approve' ? ['completed', ['hello']] : ['denied', []])
  })

  it.each(['approve', 'deny'] as const)('asks once if the tool needs an approval too: %s', async (decision) => {
    const { env, requests } = approver(decision)
    const post = toolOf('out.post', {
      arguments: parameters,
      result: {},
      spec: { confirmation: { prompt: 'Post {{text}}?' }, writes: ['external'] },
    })
    const posted: unknown[] = []
    const out = toolsetRegistration(
      useOf([post]),
      executorOf(async ({ payload }) => posted.push(await payload())),
    )
    const agent = new Runtime().registerAgent({ name: 'clerk', description: 'Helps.' }, [desk(), out], {
      planner: steps(['customer', 'page'], ['out.post'], ['out.post']),
    })
    const run = await agent.layer(dataFlow()).run('Go.', { env })
    expect(requests.map(({ prompt }) => prompt)).toEqual([
      expect.stringMatching(/^Post hello\?\nThis conversation has read private data/),
      expect.stringMatching(/^Post hello\?\nThis conversation has read private data/),
    ])
    expect(run.outcomes.slice(-2).map(reasonOf)).toEqual(
      decision === 'approve' ? ['completed', 'completed'] : ['denied', 'denied'],
    )
    expect(posted.length).toBe(decision === 'approve' ? 2 : 0)
  })

  it('asks only where the run is labelled', async () => {
    const { env, requests } = approver('deny')
    const run = await clerk(steps(['mail'], ['customer'], ['mail']))
      .layer(dataFlow())
      .run('Go.', { env })
    expect(run.outcomes.map(reasonOf)).toEqual(['completed', 'completed', 'completed'])
    expect(requests).toEqual([])
  })

  it('uses the policy with arguments and meta for each call', async () => {
    const seen: DataFlowCall[] = []
    const policy = (facts: DataFlowCall): boolean => {
      seen.push(facts)
      return facts.tool.name === 'mail' && facts.labels.includes('private')
    }
    expect(await denied(steps(['customer'], ['mail']), { policy })).toBe('denied')
    expect(seen.map(({ tool: { name }, labels, arguments: sent }) => [name, labels, sent])).toEqual([
      ['customer', [], { text: 'hello' }],
      ['mail', ['private'], { text: 'hello' }],
    ])
    expect(seen[1]?.meta.agent).toBe('clerk')
  })

  it('fails the call if the policy throws', async () => {
    const policy = (): boolean => {
      throw new Error('no policy today')
    }
    expect(await denied(steps(['mail']), { policy })).toBe('internal')
  })

  it.each<[string, object, string]>([
    ['an unknown reaction', { on: 'block' }, "dataFlow: `on` must be 'approval' or 'deny'"],
    ['a policy that is not a function', { policy: true }, 'dataFlow: `policy` must be a function'],
  ])('rejects %s', (_, options, message) => {
    expect(() => dataFlow(options as DataFlowOptions)).toThrow(new TypeError(message))
  })

  it('rejects a label that does not exist', () => {
    const reads = 'secret' as 'private'
    expect(() => toolset('a', tool({ name: 'b', description: 'B.', parameters, reads, run: () => 1 }))).toThrow(
      "tool 'b': reads must be one of private and untrusted, or an array of them",
    )
  })

  it('adds nothing to outcomes of tools without labels', async () => {
    const { outcomes } = await clerk(steps(['clock'], ['mail'], ['page'])).run('Go.')
    expect(outcomes.map(({ provenance }) => provenance.reads)).toEqual([undefined, undefined, ['untrusted']])
  })
})

describe('dataFlow over more than one run', () => {
  it('knows the labels after a suspension, also as JSON in another process', async () => {
    const { env, requests } = approver('suspend')
    const planner = steps(['customer'], ['page'], ['mail'])
    const run = await clerk(planner).layer(dataFlow()).run('Go.', { env })
    expect([run.status, requests.length]).toEqual(['suspended', 1])
    const stored: RunSuspension = JSON.parse(JSON.stringify(run.suspension))
    const [pending] = stored.pending
    expect(pending?.prompt).toContain('untrusted text (desk.page)')
    const sent: string[] = []
    const resumed = await clerk(planner, desk(sent))
      .layer(dataFlow())
      .resume(stored, { [pending?.id ?? '']: 'approve' }, { env })
    expect([reasonOf(last(resumed)), sent, requests.length]).toEqual(['completed', ['hello'], 1])
  })

  it('uses the outcomes that a suspension contains for later steps', async () => {
    const waiting = approver('suspend')
    const ask: ToolLayer<HasApproval> = approval({ when: ({ tool }) => tool.name === 'clock' })
    const planner = steps(['customer', 'page'], ['clock'], ['mail'])
    const run = await clerk(planner).layer(ask).run('Go.', waiting)
    const stored: RunSuspension = JSON.parse(JSON.stringify(run.suspension))
    const answers = { [stored.pending[0]?.id ?? '']: 'approve' as const }
    const again = clerk(planner)
      .layer(ask)
      .layer(dataFlow({ on: 'deny' }))
    expect(reasonOf(last(await again.resume(stored, answers, waiting)))).toBe('denied')
  })

  it('reads the labels of earlier runs from the conversation', async () => {
    const first = await clerk(steps(['customer'], ['page'])).run('Read.')
    const config = runConfig().layer(dataFlow({ on: 'deny' }))
    const messages = [...first.messages, { role: 'user', content: 'Now send it.' } as const]
    expect(reasonOf(last(await clerk(steps(['mail'])).run(messages, { config })))).toBe('denied')
    expect(reasonOf(last(await clerk(steps(['mail'])).run('Now send it.', { config })))).toBe('completed')
  })

  it('reads the labels of earlier runs of a session', async () => {
    const planner: Planner = ({ messages, outcomes }) => {
      const [name] = String(messages.findLast(({ role }) => role === 'user')?.content).split(' ')
      return outcomes.length > 0
        ? answer('done')
        : callTools(...(name === 'read' ? ['page', 'customer'] : ['mail']).map((each) => call(each)))
    }
    const agent = clerk(planner).layer(dataFlow({ on: 'deny' }))
    const registry = new SessionRegistry({ agents: { agent }, conversation: true })
    const [one, two] = await Promise.all(
      ['s-1', 's-2'].map((id) => registry.open(id, { userId: 'u-1', namespaces: ['default'] })),
    )
    if (one === undefined || two === undefined) throw new Error('no session')
    await one.run(agent, 'read all')
    expect(reasonOf(last(await one.run(agent, 'send it')))).toBe('denied')
    expect(reasonOf(last(await two.run(agent, 'send it')))).toBe('completed')
  })

  it('reads the labels of another agent whose conversation an agent continues', async () => {
    const runtime = new Runtime()
    const post = tool({ name: 'post', description: 'Posts.', parameters, writes: 'external', run: () => 'posted' })
    const reader = clerk(steps(['customer'], ['page']), desk(), runtime)
    const poster = runtime.registerAgent({ name: 'poster', description: 'Posts.' }, [toolset('out', post)], {
      planner: steps(['post']),
    })
    const config = runConfig().layer(dataFlow({ on: 'deny' }))
    const { messages } = await reader.run('Read.')
    const next = [...messages, { role: 'user', content: 'Now post it.' } as const]
    expect(reasonOf(last(await poster.run(next, { config })))).toBe('denied')
    expect(reasonOf(last(await poster.run('Post.', { config })))).toBe('completed')
  })

  it('reads the labels of cached results, also inside the cache', async () => {
    const agent = clerk(steps(['customer'], ['page'], ['mail']))
    const everyone = { audience: 'everyone' } as const
    const flow = dataFlow({ on: 'deny' })
    for (const config of [
      runConfig().layer(flow).layer(cache(everyone)),
      runConfig().layer(cache(everyone)).layer(flow),
    ]) {
      for (const isCached of [false, true]) {
        const run = await agent.run('Go.', { config })
        expect(run.outcomes[0]?.provenance.extra?.cache === 'hit').toBe(isCached)
        expect(reasonOf(last(run))).toBe('denied')
      }
    }
  })

  it('reads the labels of the runs of a session for its calls outside runs', async () => {
    const agent = clerk(steps(['customer'], ['page']))
    const config = runConfig().layer(dataFlow({ on: 'deny' }))
    const mailIn = async (sessionId: string) => reasonOf(await agent.execute(call('mail'), { sessionId, config }))
    expect(await mailIn('s-1')).toBe('completed')
    await agent.run('Read.', { sessionId: 's-1', config })
    expect(await mailIn('s-1')).toBe('denied')
    expect(await mailIn('s-2')).toBe('completed')
  })

  it('follows calls outside runs by session, otherwise by run id', async () => {
    const tools = new Runtime().registerToolset(desk().layer(dataFlow({ on: 'deny' })))
    const execute = async (name: string, options: object): Promise<string> =>
      reasonOf(await tools.execute(call(name), options))
    for (const id of ['sessionId', 'runId']) {
      await execute('page', { [id]: 'a' })
      await execute('customer', { [id]: 'b' })
      expect(await execute('mail', { [id]: 'a' })).toBe('completed')
      await execute('customer', { [id]: 'a' })
      expect(await execute('mail', { [id]: 'a' })).toBe('denied')
      expect(await execute('mail', { [id]: 'b' })).toBe('completed')
      expect(await execute('mail', {})).toBe('completed')
    }
  })

  it('gives each instance its own memory', async () => {
    const options = { sessionId: 's' }
    const tools = () => new Runtime().registerToolset(desk().layer(dataFlow({ on: 'deny' })))
    const one = tools()
    for (const name of ['page', 'customer']) await one.execute(call(name), options)
    expect(reasonOf(await tools().execute(call('mail'), options))).toBe('completed')
  })
})

/** A runtime in which `clerk` calls `research`, which has the tools of the desk. */
function nested(outer: Planner, inner: Planner, around: readonly ToolLayer[] = []) {
  const runtime = new Runtime()
  const descriptor = { name: 'research', description: 'Looks.' }
  const research = around.reduce(
    (agent, layer) => agent.layer(layer),
    runtime.registerAgent(descriptor, [desk()], { planner: inner }),
  )
  const ask = toolOf('investigation.ask', { arguments: parameters, result: {} })
  const exported = { toolset: toolsetOf(ask), agent: descriptor, tools: { ask: { prose: true } } }
  const tools = agentToolsetRegistration(exported, research)
  const support = runtime.registerAgent({ name: 'clerk', description: 'Helps.' }, [tools, desk()], { planner: outer })
  return { support, research }
}

describe('dataFlow and nested agents', () => {
  const config = runConfig().layer(dataFlow({ on: 'deny' }))

  it('labels a run with what its nested run has read', async () => {
    const { support } = nested(steps(['investigation.ask'], ['desk.mail']), steps(['page', 'customer']))
    const run = await support.layer(dataFlow({ on: 'deny' })).run('Go.')
    expect(run.outcomes[0]?.provenance.reads).toEqual(['private', 'untrusted'])
    expect(reasonOf(last(run))).toBe('denied')
  })

  it('gives a nested run the labels of its outer run, but not of calls in the same step', async () => {
    const outcomes: string[] = []
    const watch: ToolLayer = (next) => async (request) => {
      const outcome = await next(request)
      if (request.meta.agent === 'research') outcomes.push(reasonOf(outcome))
      return outcome
    }
    const layers = [dataFlow({ on: 'deny' }), watch]
    for (const outer of [
      steps(['desk.page', 'desk.customer'], ['investigation.ask']),
      steps(['desk.page', 'desk.customer', 'investigation.ask']),
    ]) {
      await nested(outer, steps(['mail']), layers).support.run('Go.')
    }
    expect(outcomes).toEqual(['denied', 'completed'])
  })

  it('counts the tools that a nested agent can use for an earlier conversation', async () => {
    const { support } = nested(steps(['investigation.ask']), steps(['page', 'customer']))
    const { messages } = await support.run('Read.')
    const later = nested(steps(['desk.mail']), steps()).support
    const run = await later.run([...messages, { role: 'user', content: 'Send.' }], { config })
    expect(reasonOf(last(run))).toBe('denied')
  })
})

describe('dataFlow in code mode', () => {
  const program = (code: string) => ({ tool: 'run_program', arguments: JSON.stringify({ code }) })
  const coder = (planner: Planner, sent: string[]) =>
    new Runtime().registerAgent({ name: 'coder', description: 'Codes.' }, [], {
      agent: base()
        .with(usePlanner(planner))
        .with(useTools(desk(sent).layer(dataFlow({ on: 'deny' }))))
        .with(useCodeMode({ checker, sandbox }))
        .build(),
    })

  it('follows the calls of one program', async () => {
    const code = `await desk.page({}); await desk.customer({}); try { await desk.mail({ text: 'x' }); return 'sent' } catch { return 'refused' }`
    const sent: string[] = []
    const run = await coder(({ turn }) => (turn === 1 ? callTools(program(code)) : answer('done')), sent).run('Go.')
    expect([last(run).status === 'completed' && run.outcomes[0], sent]).toMatchObject([
      { json: '{"value":"refused"}', provenance: { reads: ['private', 'untrusted'] } },
      [],
    ])
  })

  it('follows an earlier program of the run', async () => {
    const codes = [`await desk.page({}); await desk.customer({}); return 1`, `await desk.mail({ text: 'x' }); return 2`]
    const sent: string[] = []
    const planner: Planner = ({ turn }) => {
      const code = codes[turn - 1]
      return code === undefined ? answer('done') : callTools(program(code))
    }
    const run = await coder(planner, sent).run('Go.')
    expect(run.outcomes.map(reasonOf)).toEqual(['completed', 'domain_rejection'])
    expect(sent).toEqual([])
  })
})

describe('dataFlow in durable runs', () => {
  it.each(['no crash', 'a crash after the reads'])('knows the recorded outcomes: %s', async (name) => {
    const sent: string[] = []
    let hasCrashed = name === 'no crash'
    const crash = ({ step, when }: CrashPoint): boolean => {
      if (hasCrashed || when !== 'after' || !step.includes('customer')) return false
      hasCrashed = true
      return true
    }
    // The same ids in each attempt.
    const planner: Planner = ({ turn }) => {
      const next = ['page', 'customer', 'mail'][turn - 1]
      return next === undefined
        ? answer('done')
        : callTools({ tool: next, toolCallId: `${next}-${turn}`, arguments: '{}' })
    }
    const agent = clerk(planner, desk(sent)).layer(dataFlow({ on: 'deny' }))
    const engine = memoryEngine(durableAgents({ agents: { clerk: agent } }), { crash })
    await engine.start('clerk', 'Go.', { runId: 'r' })
    const { outcomes } = await engine.result('r')
    const [mail] = outcomes.slice(-1)
    expect([hasCrashed, mail?.status === 'failed' && mail.hint.reason, sent]).toEqual([true, 'denied', []])
  })

  it('passes the labels to a nested durable run', async () => {
    const planner =
      (names: readonly (readonly string[])[]): Planner =>
      ({ turn }) => {
        const next = names[turn - 1]
        if (next === undefined) return answer('done')
        return callTools(...next.map((each) => ({ tool: each, toolCallId: `${each}-${turn}`, arguments: '{}' })))
      }
    const outcomes: string[] = []
    const watch: ToolLayer = (next) => async (request) => {
      const outcome = await next(request)
      outcomes.push(`${request.tool.name} ${reasonOf(outcome)}`)
      return outcome
    }
    const { support, research } = nested(
      planner([['desk.page', 'desk.customer'], ['investigation.ask']]),
      planner([['mail']]),
      [dataFlow({ on: 'deny' }), watch],
    )
    const engine = memoryEngine(durableAgents({ agents: { clerk: support, research } }))
    await engine.start('clerk', 'Go.', { runId: 'r' })
    await engine.result('r')
    expect(outcomes).toEqual(['mail denied'])
  })
})
