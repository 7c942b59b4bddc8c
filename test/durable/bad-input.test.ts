import type { AgentToolSpec } from '@toolgen/runtime'
import { type DurableClient, type DurableSession, durableAgents } from '@toolgen/runtime/durable'
import { restateAgents, restateClient } from '@toolgen/runtime/restate'
import { memoryEngine } from '@toolgen/runtime/testing'
import { describe, expect, it } from 'vitest'
import { eventsOf, suspended } from './engine-suite.js'
import { scriptedAgents } from './scripted-agents.mjs'
import { callOf } from './session-suite.js'

/** Expected error: its class and a part of its message. */
type Expected = readonly [type: 'TypeError' | 'RangeError', message: string]

const agents = scriptedAgents({ effect: () => undefined })
const { support, research } = agents.agents
const addresses = { url: 'http://127.0.0.1:8080', adminUrl: 'http://127.0.0.1:9070' }
/** Clients whose arguments are wrong send no request, so the client of Restate needs no server. */
const clients: readonly (readonly [name: string, client: DurableClient])[] = [
  ['memoryEngine', memoryEngine(agents)],
  ['restateClient', restateClient(addresses)],
]

/** Calls a function with arguments that its types do not allow. */
function call(called: (...args: any[]) => unknown, ...args: readonly unknown[]): unknown {
  return called(...args)
}

async function expectError(work: () => unknown, [type, message]: Expected): Promise<void> {
  const error = await (async () => work())().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(type === 'TypeError' ? TypeError : RangeError)
  expect(String(error)).toContain(message)
}

describe('durableAgents rejects', () => {
  it.each<[string, unknown, string]>([
    [
      'no options',
      undefined,
      'durableAgents: options is undefined. Expected an object, for example { agents: { support } }.',
    ],
    ['null', null, 'durableAgents: options is null.'],
    ['no agents', {}, 'durableAgents: agents is undefined. Expected an object of registered agents'],
    ['empty agents', { agents: {} }, 'durableAgents: `agents` is empty. Pass at least one registered agent.'],
    ['null as agents', { agents: null }, 'durableAgents: agents is null. Expected an object of registered agents'],
    [
      'an array of agents',
      { agents: [support] },
      'durableAgents: agents is an array. Expected an object of registered agents',
    ],
    [
      'an agent that is not registered',
      { agents: { support: {} } },
      'durableAgents: agents.support must be a registered agent',
    ],
    [
      'an agent under another name',
      { agents: { other: research } },
      "durableAgents: agents.other is the agent 'research'.",
    ],
    [
      'an agent without the agents that it calls',
      { agents: { support } },
      "the agent 'support' uses the agent 'research'",
    ],
    [
      'an env that is not a function',
      { ...agents, env: 5 },
      'durableAgents: env is 5. Expected a function that returns the env',
    ],
    ['null as sessions', { ...agents, sessions: null }, 'durableAgents: sessions is null. Expected an object'],
    ['a number as toolsets', { ...agents, toolsets: 5 }, 'durableAgents: toolsets is 5. Expected an object'],
    [
      'an unknown reaction',
      { ...agents, unknownOutcome: 'again' },
      "durableAgents: unknownOutcome is 'again'. Expected 'fail', 'ask', 'repeat' or a function.",
    ],
    [
      'a function that returns an unknown reaction',
      { ...agents, unknownOutcome: () => 'again' },
      "durableAgents: unknownOutcome returned 'again' for the tool orders.cancel. Expected 'fail', 'ask' or 'repeat'.",
    ],
    [
      'an async function',
      { ...agents, unknownOutcome: async () => 'ask' },
      'durableAgents: unknownOutcome returned an object for the tool orders.cancel.',
    ],
  ])('%s', (_name, options, message) => expectError(() => call(durableAgents, options), ['TypeError', message]))

  it('a function unknownOutcome that throws, with the error of the function', () => {
    const unknownOutcome = (tool: AgentToolSpec): never => {
      throw new Error(`No rule for ${tool.id}.`)
    }
    expect(() => durableAgents({ ...agents, unknownOutcome })).toThrow('No rule for orders.cancel.')
  })
})

it('durableAgents calls unknownOutcome once for each tool of an agent that may not run twice', () => {
  const called: string[] = []
  const unknownOutcome = ({ id }: AgentToolSpec) => {
    called.push(id)
    return 'ask' as const
  }
  durableAgents({ ...agents, unknownOutcome })
  const ofAgent = ['orders.cancel', 'orders.refund', 'orders.print']
  expect(called).toEqual([...ofAgent, ...ofAgent])
})

it('durableAgents uses the result of unknownOutcome for a call whose process ended', async () => {
  const unknownOutcome = ({ name }: AgentToolSpec) => (name === 'cancel' ? ('ask' as const) : ('fail' as const))
  let crashed = false
  const engine = memoryEngine(durableAgents({ ...agents, unknownOutcome }), {
    crash: ({ step, when }) => {
      if (crashed || when !== 'during' || !step.startsWith('orders.cancel')) return false
      crashed = true
      return true
    },
  })
  const { runId } = await engine.start('support', 'cancel A')
  expect((await suspended(engine, runId)).pending).toMatchObject([{ kind: 'approval', id: 'call_1_1' }])
})

describe('memoryEngine rejects', () => {
  it.each<[string, readonly unknown[], Expected]>([
    [
      'no agents',
      [],
      ['TypeError', 'memoryEngine: agents is undefined. Expected the result of durableAgents({ agents: ... }).'],
    ],
    [
      'agents of another form',
      [{ agents: {} }],
      ['TypeError', 'memoryEngine: agents is an object of another form. Expected the result of durableAgents'],
    ],
    [
      'agents that are not registered',
      [{ agents: {}, names: ['support'] }],
      ['TypeError', 'memoryEngine: agents is an object of another form.'],
    ],
    ['options of the wrong type', [agents, null], ['TypeError', 'memoryEngine: options is null. Expected an object']],
    [
      'a crash that is not a function',
      [agents, { crash: 5 }],
      ['TypeError', 'memoryEngine: crash is 5. Expected a function that returns true to crash a run.'],
    ],
    [
      'NaN attempts',
      [agents, { maxAttempts: Number.NaN }],
      ['RangeError', 'memoryEngine: maxAttempts is NaN. Expected an integer of at least 1.'],
    ],
    [
      'no attempts',
      [agents, { maxAttempts: 0 }],
      ['RangeError', 'memoryEngine: maxAttempts is 0. Expected an integer of at least 1.'],
    ],
    [
      'half attempts',
      [agents, { maxAttempts: 1.5 }],
      ['RangeError', 'memoryEngine: maxAttempts is 1.5. Expected an integer of at least 1.'],
    ],
  ])('%s', (_name, args, expected) => expectError(() => call(memoryEngine, ...args), expected))

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('Broken.')
      },
      "memoryEngine: crash threw an error for the step 'start': Broken.",
    ],
    [
      'returns a promise',
      async () => false,
      "memoryEngine: crash returned an object for the step 'start'. Expected true or false.",
    ],
  ])('parks a run if crash %s', async (_name, crash, message) => {
    const engine = memoryEngine(agents, { crash: crash as () => boolean })
    const { runId } = await engine.start('support', 'get A')
    await expect(engine.result(runId)).rejects.toMatchObject({ code: 'run_parked', report: { attempts: 1, message } })
  })

  it('gives a run an id that no other run has', async () => {
    const engine = memoryEngine(agents)
    await engine.start('support', 'get A', { runId: 'run_1' })
    const { runId } = await engine.start('support', 'get A')
    expect(runId).not.toBe('run_1')
    expect(await engine.result(runId)).toMatchObject({ runId, status: 'completed' })
  })
})

const cyclic: Record<string, unknown> = {}
cyclic.self = { cyclic }

describe.each(clients)('%s: start rejects', (_client, engine) => {
  const json = 'Expected JSON: null, booleans, finite numbers, strings, arrays and plain objects.'
  const inputs = 'Expected a string, an array of chat messages, or a chat request with `messages`.'
  const messages = [{ role: 'user', content: 'Hello' }]
  it.each<[string, readonly unknown[], string]>([
    ['no agent', [undefined, 'get A'], 'start: agent is undefined. Expected a string.'],
    ['an agent instead of its name', [support, 'get A'], 'start: agent is an object. Expected a string.'],
    ['no input', ['support'], `start: input is undefined. ${inputs}`],
    ['a number as input', ['support', 5], `start: input is 5. ${inputs}`],
    [
      'input without messages',
      ['support', {}],
      `start: input has an invalid chat message, or no \`messages\`. ${inputs}`,
    ],
    [
      'a message without a role',
      ['support', [{ content: 'Hello' }]],
      `start: input has an invalid chat message, or no \`messages\`. ${inputs}`,
    ],
    ['input that is not JSON', ['support', { messages, seed: 1n }], `start: input.seed is 1n. ${json}`],
    [
      'options of the wrong type',
      ['support', 'get A', 'r-1'],
      "start: options is 'r-1'. Expected an object, for example { sessionId: 's-1' }.",
    ],
    ['null as options', ['support', 'get A', null], 'start: options is null. Expected an object'],
    ['a number as runId', ['support', 'get A', { runId: 5 }], 'start: runId is 5. Expected a string.'],
    [
      'an empty runId',
      ['support', 'get A', { runId: '' }],
      `start: runId is "". Expected a string of valid Unicode that is not empty, '.' or '..'.`,
    ],
    [
      'half a character in runId',
      ['support', 'get A', { runId: 'r\uD800' }],
      `start: runId is "r\\ud800". Expected a string of valid Unicode that is not empty, '.' or '..'.`,
    ],
    [
      'a runId that a URL cannot contain',
      ['support', 'get A', { runId: '..' }],
      `start: runId is "..". Expected a string of valid Unicode that is not empty, '.' or '..'.`,
    ],
    [
      'a slash in runId',
      ['support', 'get A', { runId: 'r/1' }],
      "start: runId is 'r/1'. Expected a string without '/', which separates the ids of nested runs.",
    ],
    ['a number as sessionId', ['support', 'get A', { sessionId: 5 }], 'start: sessionId is 5. Expected a string.'],
    ['null as turnId', ['support', 'get A', { turnId: null }], 'start: turnId is null. Expected a string.'],
    [
      'an array of labels',
      ['support', 'get A', { labels: ['acme'] }],
      "start: labels is an array. Expected an object of strings, for example { tenant: 'acme' }.",
    ],
    [
      'a number as label',
      ['support', 'get A', { labels: { tenant: 5 } }],
      'start: labels.tenant is 5. Expected a string.',
    ],
    ['a function as data', ['support', 'get A', { data: () => 5 }], `start: data is a function. ${json}`],
    ['a bigint in data', ['support', 'get A', { data: { count: 1n } }], `start: data.count is 1n. ${json}`],
    ['NaN in data', ['support', 'get A', { data: [Number.NaN] }], `start: data[0] is NaN. ${json}`],
    [
      'undefined in data',
      ['support', 'get A', { data: { user: { name: undefined } } }],
      `start: data.user.name is undefined. ${json}`,
    ],
    [
      'a date in data',
      ['support', 'get A', { data: { at: new Date(0) } }],
      `start: data.at is an instance of Date. ${json}`,
    ],
    [
      'cyclic data',
      ['support', 'get A', { data: cyclic }],
      `start: data.self.cyclic is an object that contains itself. ${json}`,
    ],
  ])('%s', (_name, args, message) =>
    expectError(() => call(engine.start.bind(engine), ...args), ['TypeError', message]),
  )
})

describe.each(clients)('%s: rejects', (_client, engine) => {
  const answers = 'Expected a string, or an object that maps the ids of the pending calls to answers.'
  it.each<[string, keyof DurableClient, readonly unknown[], Expected]>([
    ['status without an id', 'status', [], ['TypeError', 'status: runId is undefined. Expected a string.']],
    [
      'status of an empty id',
      'status',
      [''],
      ['TypeError', 'status: runId is "". Expected a string of valid Unicode that is not empty'],
    ],
    ['result of a number', 'result', [5], ['TypeError', 'result: runId is 5. Expected a string.']],
    ['cancel of null', 'cancel', [null], ['TypeError', 'cancel: runId is null. Expected a string.']],
    [
      'an answer without an id',
      'answer',
      [undefined, 's', 'yes'],
      ['TypeError', 'answer: runId is undefined. Expected a string.'],
    ],
    [
      'an answer without a suspension',
      'answer',
      ['r'],
      ['TypeError', 'answer: suspensionId is undefined. Expected a string.'],
    ],
    ['no answers', 'answer', ['r', 's'], ['TypeError', `answer: answers is undefined. ${answers}`]],
    ['a number as answers', 'answer', ['r', 's', 5], ['TypeError', `answer: answers is 5. ${answers}`]],
    [
      'an array of answers',
      'answer',
      ['r', 's', ['approve']],
      ['TypeError', `answer: answers is an array. ${answers}`],
    ],
    [
      'an answer that is not JSON',
      'answer',
      ['r', 's', { call_1: { result: 1n } }],
      ['TypeError', 'answer: answers.call_1.result is 1n. Expected JSON'],
    ],
    ['subscribe without an id', 'subscribe', [], ['TypeError', 'subscribe: runId is undefined. Expected a string.']],
  ])('%s', (_name, method, args, expected) => expectError(() => call(engine[method].bind(engine), ...args), expected))

  it.each([0, -1, 1.5, Number.NaN, '3'])('subscribe from %o, at the call', (from) => {
    const value = typeof from === 'string' ? `'${from}'` : from
    const message = `subscribe: from is ${value}. Expected the position of an event, an integer of at least 1.`
    expect(() => engine.subscribe('r', { from: from as number })).toThrow(new RangeError(message))
  })
})

describe('memoryEngine: a run that is answered wrongly', () => {
  it.each([
    ['a string for a call', 'yes'],
    ['no answer', {}],
    ['only undefined answers', { call_1_1: undefined }],
    ['an unknown decision', { call_1_1: 'perhaps' }],
    ['a number', { call_1_1: 5 }],
  ])('keeps waiting after %s', async (_name, answers) => {
    const engine = memoryEngine(agents)
    const { runId } = await engine.start('support', 'refund A')
    const { id } = await suspended(engine, runId)
    await expect(engine.answer(runId, id, answers as string)).rejects.toMatchObject({
      name: 'SuspensionError',
      code: 'wrong_answers',
    })
    expect(await engine.status(runId)).toMatchObject({ status: 'suspended' })
    await engine.answer(runId, id, { call_1_1: 'approve' })
    expect(await engine.result(runId)).toMatchObject({ result: { text: 'refund A' } })
  })
})

describe.each(clients)('%s: openSession rejects', (_client, engine) => {
  it('null as options', () =>
    expectError(
      () => call(engine.openSession.bind(engine), 's-1', null),
      [
        'TypeError',
        "openSession: options is null. Expected an object, for example { userId: 'u-1', namespaces: ['support'] }.",
      ],
    ))

  it.each(['.', '..'])('the id %j, which a URL cannot contain', async (id) => {
    await expect(engine.openSession(id, { userId: 'u-7', namespaces: ['support'] })).rejects.toMatchObject({
      name: 'SessionError',
      code: 'invalid_id',
      message: `The session id is '${id}'. Use another id of your application.`,
    })
  })
})

describe('a durable session rejects', () => {
  it.each<[string, keyof DurableSession, readonly unknown[], string]>([
    ['null as a call', 'execute', [null], 'execute: call is null. Expected a call, for example newGetOrderCall('],
    [
      'null as options of a call',
      'execute',
      [callOf('get', 'A'), null],
      'execute: options is null. Expected an object',
    ],
    [
      'a bigint as data of a call',
      'execute',
      [callOf('get', 'A'), { data: 1n }],
      `execute: data is 1n. Expected JSON: null, booleans`,
    ],
    ['null as options of a run', 'run', ['support', 'get A', null], 'run: options is null. Expected an object'],
    ['null as options of consume', 'consume', [null], 'consume: options is null. Expected an object'],
    ['a number as requestId', 'consume', [{ requestId: 5 }], 'consume: requestId is 5. Expected a string.'],
    ['an empty requestId', 'consumeCompleted', [{ requestId: '' }], "consumeCompleted: requestId is ''. Expected"],
    ['null as options of close', 'close', [null], 'close: options is null. Expected an object'],
  ])('%s', async (_name, method, args, message) => {
    const session = await memoryEngine(agents).openSession('s-1', { userId: 'u-7', namespaces: ['support'] })
    await expectError(() => call((session[method] as () => unknown).bind(session), ...args), ['TypeError', message])
  })

  it('a number as the id of a call to cancel', async () => {
    const session = await memoryEngine(agents).openSession('s-1', { userId: 'u-7', namespaces: ['support'] })
    await expect(call(session.cancel.bind(session), 5)).rejects.toMatchObject({ code: 'invalid_id' })
  })
})

it('memoryEngine: subscribe reports an unknown run when the events are read', async () => {
  const engine = memoryEngine(agents)
  const events = engine.subscribe('nobody')
  await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'unknown_run', runId: 'nobody' })
})

it('memoryEngine: subscribe from a position after the last event ends at once', async () => {
  const engine = memoryEngine(agents)
  const { runId } = await engine.start('support', 'get A')
  await engine.result(runId)
  expect(await eventsOf(engine, runId, 1_000)).toEqual([])
})

describe('restateClient rejects', () => {
  const expectedUrl = "Expected a URL with http: or https:, such as 'http://127.0.0.1:8080'."
  const expectedAdminUrl = "Expected a URL with http: or https:, such as 'http://127.0.0.1:9070'."
  const store = { put: () => Promise.resolve(), get: () => Promise.resolve(undefined) }
  it.each<[string, unknown, Expected]>([
    [
      'no options',
      undefined,
      ['TypeError', 'restateClient: options is undefined. Expected an object, for example { url: '],
    ],
    ['no addresses', {}, ['TypeError', `restateClient: url is undefined. ${expectedUrl}`]],
    [
      'no address of the admin API',
      { url: addresses.url },
      ['TypeError', `restateClient: adminUrl is undefined. ${expectedAdminUrl}`],
    ],
    [
      'an empty name',
      { ...addresses, name: '' },
      ['TypeError', "restateClient: name is ''. Expected a string of letters, digits"],
    ],
    [
      'a number as name',
      { ...addresses, name: 5 },
      ['TypeError', 'restateClient: name is 5. Expected a string of letters, digits'],
    ],
    [
      'a name that Restate does not accept',
      { ...addresses, name: 'my agents' },
      ['TypeError', "restateClient: name is 'my agents'."],
    ],
    [
      'a number as headers',
      { ...addresses, headers: 5 },
      [
        'TypeError',
        "restateClient: headers is 5. Expected an object of strings, for example { authorization: 'Bearer ...' }.",
      ],
    ],
    [
      'a number as header',
      { ...addresses, headers: { tenant: 5 } },
      ['TypeError', 'restateClient: headers.tenant is 5. Expected a string.'],
    ],
    [
      'a header with a line break',
      { ...addresses, headers: { tenant: 'a\nb' } },
      ['TypeError', 'restateClient: headers.tenant is not a valid header.'],
    ],
    [
      'a header with an invalid name',
      { ...addresses, headers: { 'my tenant': 'a' } },
      ['TypeError', 'restateClient: headers.my tenant is not a valid header.'],
    ],
    [
      'a text that is not a URL',
      { ...addresses, url: 'restate' },
      ['TypeError', `restateClient: url is 'restate'. ${expectedUrl}`],
    ],
    [
      'another protocol',
      { ...addresses, url: 'ftp://restate' },
      ['TypeError', `restateClient: url is 'ftp://restate'. ${expectedUrl}`],
    ],
    [
      'an address without a protocol',
      { ...addresses, url: 'localhost:8080' },
      ['TypeError', `restateClient: url is 'localhost:8080'. ${expectedUrl}`],
    ],
    [
      'an address with a query',
      { ...addresses, url: 'http://restate/?a=1' },
      ['TypeError', "restateClient: url is 'http://restate/?a=1'. Expected a URL without query and hash."],
    ],
    [
      'an address with a hash',
      { ...addresses, url: 'http://restate/#a' },
      ['TypeError', "restateClient: url is 'http://restate/#a'. Expected a URL without query and hash."],
    ],
    [
      'an address with a password',
      { ...addresses, url: 'http://me:secret@restate' },
      ['TypeError', 'restateClient: url contains a user name or a password. Pass them in `headers`.'],
    ],
    [
      'another protocol of the admin API',
      { ...addresses, adminUrl: 'localhost:9070' },
      ['TypeError', `restateClient: adminUrl is 'localhost:9070'. ${expectedAdminUrl}`],
    ],
    [
      'a query of the admin API',
      { ...addresses, adminUrl: 'http://restate?a=1' },
      ['TypeError', 'restateClient: adminUrl is '],
    ],
    [
      'largeValues of the wrong type',
      { ...addresses, largeValues: 5 },
      ['TypeError', 'restateClient: largeValues is 5. Expected an object, for example { store }.'],
    ],
    [
      'largeValues without a store',
      { ...addresses, largeValues: {} },
      [
        'TypeError',
        'restateClient: largeValues.store is undefined. Expected an object with the functions put and get.',
      ],
    ],
    [
      'a store without get',
      { ...addresses, largeValues: { store: { put: store.put } } },
      [
        'TypeError',
        'restateClient: largeValues.store has no function get. Expected an object with the functions put and get.',
      ],
    ],
    [
      'a store without put',
      { ...addresses, largeValues: { store: { get: store.get } } },
      ['TypeError', 'restateClient: largeValues.store has no function put.'],
    ],
    [
      'a minLength of 0',
      { ...addresses, largeValues: { store, minLength: 0 } },
      ['RangeError', 'restateClient: largeValues.minLength is 0. Expected an integer of at least 1.'],
    ],
    [
      'no time',
      { ...addresses, timeoutMs: 0 },
      ['RangeError', 'restateClient: timeoutMs is 0. Expected an integer from 1 to 86400000.'],
    ],
    [
      'NaN as time',
      { ...addresses, timeoutMs: Number.NaN },
      ['RangeError', 'restateClient: timeoutMs is NaN. Expected an integer from 1 to 86400000.'],
    ],
    [
      'a time of years',
      { ...addresses, timeoutMs: 1e12 },
      ['RangeError', 'restateClient: timeoutMs is 1000000000000. Expected an integer from 1 to 86400000.'],
    ],
  ])('%s', (_name, options, expected) => expectError(() => call(restateClient, options), expected))
})

describe('restateAgents rejects', () => {
  it.each<[string, readonly unknown[], Expected]>([
    [
      'no agents',
      [],
      ['TypeError', 'restateAgents: agents is undefined. Expected the result of durableAgents({ agents: ... }).'],
    ],
    ['agents of another form', [{ agents: {} }], ['TypeError', 'restateAgents: agents is an object of another form.']],
    [
      'options of the wrong type',
      [agents, 'agents'],
      ['TypeError', "restateAgents: options is 'agents'. Expected an object"],
    ],
    [
      'an empty name',
      [agents, { name: '' }],
      ['TypeError', "restateAgents: name is ''. Expected a string of letters, digits"],
    ],
    [
      'no attempts',
      [agents, { maxAttempts: 0 }],
      ['RangeError', 'restateAgents: maxAttempts is 0. Expected an integer of at least 1.'],
    ],
    [
      'an endless delay',
      [agents, { maxRetryDelayMs: Number.POSITIVE_INFINITY }],
      ['RangeError', 'restateAgents: maxRetryDelayMs is Infinity.'],
    ],
    ['a negative time', [agents, { maxStepMs: -1 }], ['RangeError', 'restateAgents: maxStepMs is -1.']],
    ['a time as string', [agents, { retentionMs: '7d' }], ['RangeError', "restateAgents: retentionMs is '7d'."]],
    [
      'largeValues without a store',
      [agents, { largeValues: {} }],
      ['TypeError', 'restateAgents: largeValues.store is undefined.'],
    ],
  ])('%s', (_name, args, expected) => expectError(() => call(restateAgents, ...args), expected))
})
