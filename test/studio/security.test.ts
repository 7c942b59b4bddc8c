import { request as httpRequest } from 'node:http'
import { fileURLToPath } from 'node:url'
import { approval, mcpExecutor, Runtime, tool, toolset, toolsetRegistration } from '@toolgen/runtime'
import { answer, ask, base, callTools, type Planner } from '@toolgen/runtime/agents'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { stdioCaller } from '@toolgen/runtime/mcp'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { Studio, serveStudio } from '@toolgen/studio'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { registrationOf, toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { importedAs } from '../mcp/served.fixture.js'
import { crm, everywhere, marker, secretIn, secrets } from '../trust/crm.fixture.js'
import { type Client, projectOf, serve, shop } from './shop.fixture.js'

const labels = { tenant: 'tenant-secret-7' }

/** Sends a request with any headers, also those that `fetch` sets itself. */
function send(url: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('error', reject)
    request.end()
  })
}

describe('the server of toolgen dev', () => {
  const served = () => serve(projectOf([shop().support]))
  const bearer = (client: Client) => ({ authorization: `Bearer ${client.token}` })

  it('needs the token, and exchanges it for a cookie', async () => {
    const client = await served()
    for (const path of [
      '',
      'api/project',
      'api/events',
      'index.html',
      '?token=',
      '?token=wrong',
      `api/project?token=${client.token}`,
    ]) {
      expect([path, (await fetch(`${client.origin}/${path}`)).status]).toEqual([path, 401])
    }
    const entered = await fetch(`${client.origin}/?token=${client.token}`)
    expect([entered.status, await entered.text()]).toEqual([200, expect.stringContaining('content="0; url=/"')])
    const [cookie = '', ...attributes] = entered.headers.get('set-cookie')?.split('; ') ?? []
    expect(attributes).toEqual(['HttpOnly', 'SameSite=Strict', 'Path=/'])
    // Other servers of this machine receive the cookie.
    const [, value = ''] = cookie.split('=')
    expect(cookie).not.toContain(client.token)
    const asToken = await fetch(`${client.origin}/api/project`, { headers: { authorization: `Bearer ${value}` } })
    expect(asToken.status).toBe(401)
    const project = await fetch(`${client.origin}/api/project`, { headers: { cookie: `other=1; ${cookie}` } })
    expect(project.status).toBe(200)
    const wrong = await fetch(`${client.origin}/api/project`, { headers: { cookie: `${cookie}x` } })
    expect([wrong.status, await wrong.json()]).toEqual([
      401,
      {
        error: {
          message: 'The server was started again with a new token.',
          next: 'Open the new URL that `toolgen dev` printed.',
        },
      },
    ])
  })

  it('has codes that work once, within one minute', async () => {
    const server = await serveStudio(projectOf([shop().support]), { port: 0 })
    onTestFinished(() => server.close())
    const [first, second, third] = [server.oneTimeUrl(), server.oneTimeUrl(), server.oneTimeUrl()]
    expect(new Set([first, second, third, server.url]).size).toBe(4)
    for (const status of [200, 401]) {
      const entered = await fetch(first)
      expect([entered.status, entered.headers.has('set-cookie')]).toEqual([status, status === 200])
    }
    const code = new URL(second).searchParams.get('code')
    const headers = { authorization: `Bearer ${code}` }
    expect((await fetch(new URL('/api/project', server.url), { headers })).status).toBe(401)
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    vi.advanceTimersByTime(60_000)
    expect((await fetch(second)).status).toBe(401)
    vi.useRealTimers()
    // A link on another site opens the studio. An image or frame of another site does not use the code up.
    const foreign = { 'sec-fetch-site': 'cross-site' }
    expect(await send(third, { ...foreign, 'sec-fetch-dest': 'image' })).toBe(403)
    expect(await send(third, { ...foreign, 'sec-fetch-dest': 'document' })).toBe(200)
  })

  it('rejects other hosts, origins and sites, also with the token', async () => {
    const client = await served()
    const url = `${client.origin}/api/project`
    const host = new URL(url).host
    const port = new URL(url).port
    const status = (headers: Readonly<Record<string, string>>) => send(url, { ...bearer(client), ...headers })
    expect(await status({})).toBe(200)
    expect(await status({ host: `localhost:${port}` })).toBe(200)
    for (const each of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      'localhost',
      `127.0.0.1.evil.example:${port}`,
    ]) {
      expect([each, await status({ host: each })]).toEqual([each, 403])
    }
    expect(await status({ origin: `http://${host}` })).toBe(200)
    for (const each of [
      'http://evil.example',
      'null',
      `https://${host}`,
      'http://127.0.0.1',
      `http://localhost:${port}`,
    ]) {
      expect([each, await status({ origin: each })]).toEqual([each, 403])
    }
    expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await status({ 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await send(`${client.origin}/?token=${client.token}`, { host: 'evil.example' })).toBe(403)
  })

  it('accepts only JSON that fits the API', async () => {
    const client = await served()
    const post = (path: string, body: string, type = 'application/json') =>
      client.fetch(path, { method: 'POST', headers: { 'content-type': type }, body })
    expect((await post('api/calls', '{}', 'text/plain')).status).toBe(415)
    expect((await post('api/runs/x/cancel', '', 'text/plain')).status).toBe(415)
    expect((await post('api/calls', `"${'x'.repeat(17 * 1024 * 1024)}"`)).status).toBe(413)
    const bodies = {
      'api/calls': ['', '[]', '{', '{}', '{"tool":1,"arguments":"{}"}', '{"tool":"a","arguments":"{}","more":1}'],
      'api/runs': [
        '{"agent":"support"}',
        '{"agent":"support","input":[]}',
        '{"agent":"support","input":[{"role":"x"}]}',
      ],
      'api/validate': ['{"tool":"orders.getOrder","arguments":{}}'],
    }
    for (const [path, texts] of Object.entries(bodies)) {
      for (const text of texts) {
        const response = await post(path, text)
        expect([text, response.status]).toEqual([text, 400])
        expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('body') } })
      }
    }
    const { error } = await client.post('api/calls', { tool: 1, arguments: '{}' })
    expect(error.message).toContain('body/tool:')
  })

  it('answers unknown runs, and runs without questions', async () => {
    const client = await served()
    for (const id of ['none', '__proto__', '..%2F..', 'constructor']) {
      expect([id, (await client.fetch(`api/runs/${id}`)).status]).toEqual([id, 404])
      expect([id, (await client.fetch(`api/runs/${id}/parts`)).status]).toEqual([id, 404])
    }
    const { run } = await client.post('api/calls', { tool: 'orders.getOrder', arguments: '{"orderId":"A-1"}', labels })
    await client.parts(run)
    const answers = { answers: { constructor: { decision: 'approve' } } }
    expect((await client.post(`api/runs/${run}/answers`, answers)).error.message).toContain('Nothing waits')
    expect(await client.post('api/runs', { agent: '__proto__', input: 'x' })).toMatchObject({ error: {} })
  })

  it('has headers that let the page run only its own files', async () => {
    const client = await served()
    for (const path of ['api/project', 'api/none', 'none', '']) {
      const { headers } = await client.fetch(path)
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'self'; .*frame-ancestors 'none'$/)
      expect(headers.get('content-security-policy')).not.toContain('script')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
    for (const path of ['..%2fpackage.json', '%2e%2e/package.json', 'assets/..%2f..%2fpackage.json', '%00']) {
      expect([path, (await client.fetch(path)).status]).toEqual([path, 404])
    }
  })
})

describe('a mounted studio', () => {
  const request = (path: string, body?: object, headers = {}) =>
    new Request(`http://shop.example${path}`, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', ...headers },
    })

  it('requires an authorization', async () => {
    const { support } = shop()
    expect(() => new Studio().handler({ tools: [support] } as any)).toThrow('`authorize` must be a function')
    const login = Response.redirect('http://shop.example/login', 302)
    const results: readonly (boolean | Response)[] = [true, false, login]
    const statuses = results.map(async (result) => {
      const handler = new Studio().handler({ tools: [support], authorize: async () => result })
      return (await handler(request('/api/project'))).status
    })
    expect(await Promise.all(statuses)).toEqual([200, 403, 302])
    const denied = new Response('Log in first.', { status: 401 })
    const refusing = new Studio().handler({ tools: [support], authorize: () => denied })
    for (let count = 0; count < 2; count += 1) {
      expect(await (await refusing(request('/api/project'))).text()).toBe('Log in first.')
    }
    for (const basePath of ['/:studio', '/studio/*']) {
      expect(() => new Studio().handler({ tools: [support], authorize: () => true, basePath })).toThrow(basePath)
    }
    const shown = vi.spyOn(console, 'error').mockReturnValue(undefined)
    const failing = new Studio().handler({
      tools: [support],
      authorize: () => {
        throw new Error('database of secrets')
      },
    })
    const response = await failing(request('/api/project'))
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('secrets')])
    expect(shown).toHaveBeenCalledOnce()
    shown.mockRestore()
  })

  it('ends streams whose requests are no longer allowed', async () => {
    const { support } = shop()
    const shown = vi.spyOn(console, 'error').mockReturnValue(undefined)
    const refusals = [
      () => false,
      () => Response.redirect('http://shop.example/login', 302),
      () => {
        throw new Error('no database')
      },
    ]
    for (const refuse of refusals) {
      let authorize: () => boolean | Response = () => true
      const handler = new Studio({ heartbeatMs: 1 }).handler({ tools: [support], authorize: () => authorize() })
      const { body } = await handler(request('/api/events'))
      let text = ''
      // The stream would not end otherwise.
      for await (const chunk of body ?? []) {
        text += new TextDecoder().decode(chunk)
        if (text.split(': alive').length > 6) authorize = refuse
      }
      expect(text).toContain('"kind":"project"')
    }
    expect(shown).toHaveBeenCalledOnce()
    shown.mockRestore()
  })

  it('prints nothing if a client aborts its upload', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue(undefined)
    onTestFinished(() => printed.mockRestore())
    const handler = new Studio().handler({ tools: [shop().support], authorize: () => true, canCall: true })
    for (const header of ['content-length', 'transfer-encoding']) {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('{"tool":')),
        pull: (controller) => controller.error(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })),
      })
      const headers = { 'content-type': 'application/json', [header]: header === 'content-length' ? '1000' : 'chunked' }
      const init = { method: 'POST', headers, body, duplex: 'half' } as const
      const response = await handler(new Request('http://shop.example/api/calls', init))
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: { message: 'The body of the request did not arrive completely.', next: 'Send the request again.' } },
      ])
    }
    expect(printed).not.toHaveBeenCalled()
  })

  it('is read-only, below its path', async () => {
    const { support } = shop()
    const handler = new Studio().handler({ tools: [support], authorize: () => true, basePath: '/admin/studio' })
    expect((await handler(request('/api/project'))).status).toBe(404)
    expect((await handler(request('/admin/studio'))).headers.get('location')).toBe('/admin/studio/')
    const at = '/admin/studio/api'
    expect(await (await handler(request(`${at}/project`))).json()).toMatchObject({ canCall: false, reports: [] })
    const sent = { tool: 'orders.getOrder', arguments: '{"orderId":"A-1"}' }
    expect((await handler(request(`${at}/validate`, sent))).status).toBe(200)
    const bodies = { calls: sent, runs: { agent: 'support', input: 'x' }, 'runs/x/answers': {}, 'runs/x/cancel': {} }
    for (const [path, body] of Object.entries(bodies)) {
      const response = await handler(request(`${at}/${path}`, body))
      expect([path, response.status]).toEqual([path, 403])
      expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('read-only') } })
    }
    expect((await handler(request(`${at}/contract/lint`))).status).toBe(404)
  })

  it('rejects changes that another site asks for', async () => {
    const { support } = shop()
    const handler = new Studio().handler({ tools: [support], authorize: () => true, canCall: true })
    const body = { tool: 'orders.getOrder', arguments: '{"orderId":"A-1"}' }
    expect((await handler(request('/api/calls', body, { 'sec-fetch-site': 'cross-site' }))).status).toBe(403)
    expect((await handler(request('/api/calls', body, { 'sec-fetch-site': 'same-origin' }))).status).toBe(201)
  })
})

describe('hidden values', () => {
  /** Everything that a client can read about all runs. */
  async function everything(client: Client): Promise<string> {
    const { runs } = await client.get('api/runs')
    const texts = [runs]
    for (const { id } of runs) texts.push(await client.get(`api/runs/${id}`), await client.parts(id))
    for await (const event of client.stream('api/events')) {
      texts.push(event)
      if (event.data.summary?.id === runs[0].id) break
    }
    return JSON.stringify(texts)
  }

  const support = (...steps: Parameters<typeof scriptedModel>[0]) =>
    new Runtime().registerAgent({ name: 'support', description: 'Answers.' }, [crm().registration], {
      agent: base(scriptedModel(steps)).build(),
    })

  it('of sensitive fields never leave the server, in runs and calls', async () => {
    const sent = { id: marker, email: secrets.email }
    const agent = support(
      calls({ tool: 'find', arguments: sent }, { tool: 'fail', arguments: sent }, { tool: 'watch' }),
      says(`${marker} has ${secrets.email}.`),
    )
    const client = await serve(projectOf([agent]))
    const { run } = await client.post('api/runs', { agent: 'support', input: `Find ${marker}.` })
    await client.parts(run)
    for (const [name, args] of Object.entries({ find: sent, fail: sent, watch: {} })) {
      const started = await client.post('api/calls', { tool: `crm.${name}`, arguments: JSON.stringify(args) })
      await client.parts(started.run)
    }
    const text = await everything(client)
    expect(text).toContain(marker)
    expect(secretIn(text)).toBeUndefined()
  })

  it('of a call that waits for an approval stay the values of the call', async () => {
    const received: unknown[] = []
    const mail = tool({
      name: 'mail',
      description: 'Sends a mail.',
      parameters: {
        type: 'object',
        properties: { email: { type: 'string' }, note: { type: 'string' } },
        required: ['email'],
      },
      sensitive: { payload: { '/email': everywhere } },
      run: (args) => {
        received.push(args)
        return 'sent'
      },
    }).layer(approval())
    const runtime = new Runtime()
    const sent = { email: secrets.email, note: marker }
    const agents = ['first', 'second'].map((name) =>
      runtime.registerAgent({ name, description: 'Mails.' }, [toolset('post', mail)], {
        agent: base(scriptedModel([calls({ tool: 'mail', arguments: sent }), says('Done.')])).build(),
      }),
    )
    // The second agent has an approver that suspends its calls.
    const context = (toolName: string | undefined) =>
      toolName === undefined && isSuspending ? { env: { approval: { approve: async () => 'suspend' } } } : {}
    let isSuspending = false
    const client = await serve(projectOf(agents, { context }))
    for (const agent of ['first', 'second']) {
      isSuspending = agent === 'second'
      const { run } = await client.post('api/runs', { agent, input: 'Mail' })
      const [pending] = (await client.until(run, 'waiting')).pending
      expect(JSON.parse(pending.arguments)).toEqual({ email: '[redacted]', note: marker })
      const moved = JSON.stringify({ email: 'ada@example.com', note: '[redacted]' })
      const refused = await client.fetch(`api/runs/${run}/answers`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ answers: { [pending.id]: { decision: 'approve', arguments: moved } } }),
      })
      expect(refused.status).toBe(400)
      const edited = JSON.stringify({ email: '[redacted]', note: `${agent} edited` })
      const answers = { [pending.id]: { decision: 'approve', arguments: edited } }
      await client.post(`api/runs/${run}/answers`, { answers })
      expect((await client.parts(run)).at(-1).summary.status).toBe('completed')
    }
    expect(received).toEqual([
      { email: secrets.email, note: 'first edited' },
      { email: secrets.email, note: 'second edited' },
    ])
    expect(secretIn(await everything(client))).toBeUndefined()
  })

  it('are not part of the question to an approver, not even shortened', async () => {
    const customer = { name: 'x'.repeat(95), card: '4111222233334444' }
    const spec = {
      confirmation: { prompt: 'Charge {{customer}}?' },
      sensitive: { payload: { '/customer/card': everywhere } },
    }
    const parameters = { type: 'object', properties: { customer: { type: 'object' } } } as const
    const charge = registrationOf(toolOf('bank.charge', { arguments: parameters, spec }), () => ({
      id: 'C-1',
      total: 1,
    }))
    const client = await serve(projectOf([new Runtime().registerToolset(charge)]))
    const { run } = await client.post('api/calls', { tool: 'bank.charge', arguments: JSON.stringify({ customer }) })
    const [pending] = (await client.until(run, 'waiting')).pending
    expect(pending.prompt).toBe('Charge {{customer}}?')
    await client.post(`api/runs/${run}/cancel`, {})
    await client.until(run, 'cancelled')
    expect(await everything(client)).not.toContain('4111')
  })

  it('are not part of the questions of nested agents, in runs and calls', async () => {
    const find = tool({
      name: 'find',
      description: 'Finds a customer.',
      parameters: { type: 'object', properties: {} },
      sensitive: { result: { '/email': { events: 'omit' } } },
      run: () => ({ email: secrets.email }),
    })
    let asked = 0
    const planner: Planner = ({ outcomes: [found] }) => {
      if (found?.status !== 'completed') return callTools({ tool: 'crm.find', arguments: '{}', toolCallId: 'c-1' })
      asked += 1
      return asked % 2 === 1 ? ask(`Is ${JSON.parse(found.json).email} of ${marker} right?`) : answer('Found.')
    }
    const runtime = new Runtime()
    const design = { name: 'clerk', description: 'Asks.' }
    const clerk = runtime.registerAgent(design, [toolset('crm', find)], { planner })
    const desk = toolsetOf(
      toolOf('desk.ask', { arguments: { type: 'object', properties: {} }, result: { type: 'string' } }),
    )
    const tools = [
      agentToolsetRegistration({ toolset: desk, agent: design, tools: { ask: { prose: true } } }, clerk),
    ] as const
    const agent = runtime.registerAgent({ name: 'support', description: 'Answers.' }, tools, {
      agent: base(scriptedModel([calls({ tool: 'desk_ask' }), says('Done.')])).build(),
    })
    const client = await serve(projectOf([agent]))
    const starts = { runs: { agent: 'support', input: 'Find' }, calls: { tool: 'desk.ask', arguments: '{}' } }
    for (const [path, body] of Object.entries(starts)) {
      const { run } = await client.post(`api/${path}`, body)
      const [pending] = (await client.until(run, 'waiting')).pending
      expect([path, pending]).toMatchObject([
        path,
        { kind: 'clarification', prompt: `Is [redacted] of ${marker} right?` },
      ])
      await client.post(`api/runs/${run}/answers`, { answers: { [pending.id]: { text: 'Yes' } } })
      await client.until(run, 'completed')
    }
    expect(secretIn(await everything(client))).toBeUndefined()
  })

  it('are not part of the question of an MCP server that repeats an argument', async () => {
    const script = fileURLToPath(new URL('../mcp/asking-server.mjs', import.meta.url))
    const caller = stdioCaller({ command: process.execPath, args: [script] })
    onTestFinished(() => caller.close())
    const imported = importedAs('asking', { mail: {} })
    const [mail] = imported.toolset.tools
    if (mail === undefined) throw new Error('The import has no tool.')
    const sensitive = { payload: { '/to': { events: 'omit' } } } as const
    const sensitiveMail = { ...mail, spec: { ...mail.spec, sensitive } }
    const registration = toolsetRegistration(
      { toolset: { ...imported.toolset, tools: [sensitiveMail] }, provider: 'mcp' },
      mcpExecutor(imported, caller, { onDrift: 'ignore' }),
    )
    const client = await serve(projectOf([new Runtime().registerToolset(registration)]))
    const sent = { tool: 'asking.mail', arguments: JSON.stringify({ to: secrets.email }) }
    const { run } = await client.post('api/calls', sent)
    const [pending] = (await client.until(run, 'waiting')).pending
    expect(pending).toMatchObject({ kind: 'elicitation', prompt: 'Mail to [redacted]?' })
    await client.post(`api/runs/${run}/answers`, { answers: { sure: { content: {} } } })
    expect((await client.until(run, 'completed')).text).toContain('accept')
    expect(secretIn(await everything(client))).toBeUndefined()
  })

  it('of lists stay at their items', async () => {
    const received: unknown[] = []
    const charge = tool({
      name: 'charge',
      description: 'Charges cards.',
      parameters: { type: 'object', properties: { cards: { type: 'array', items: { type: 'object' } } } },
      sensitive: { payload: { '/cards/*/number': everywhere } },
      run: ({ cards }) => received.push(cards),
    }).layer(approval())
    const cards = [
      { name: 'x', number: '4111-1111' },
      { name: 'y', number: '4222-2222' },
    ]
    const client = await serve(projectOf([new Runtime().registerToolset(toolset('bank', charge))]))
    const { run } = await client.post('api/calls', { tool: 'bank.charge', arguments: JSON.stringify({ cards }) })
    const [pending] = (await client.until(run, 'waiting')).pending
    const [first, second] = JSON.parse(pending.arguments).cards
    expect([first, second]).toEqual([
      { name: 'x', number: '[redacted]' },
      { name: 'y', number: '[redacted]' },
    ])
    const answer = (edited: readonly object[]) =>
      client.post(`api/runs/${run}/answers`, {
        answers: { [pending.id]: { decision: 'approve', arguments: JSON.stringify({ cards: edited }) } },
      })
    for (const edited of [[second], [second, first], [first, second, { name: 'z' }]]) {
      expect((await answer(edited)).error.message).toContain('items cannot be added, removed or moved')
    }
    await answer([first, { ...second, name: 'z' }])
    await client.until(run, 'completed')
    expect(received).toEqual([[cards[0], { name: 'z', number: '4222-2222' }]])
    expect(JSON.stringify(await client.parts(run))).not.toContain('4222')
  })

  it('of server-owned fields, sessions and causes of errors never leave the server', async () => {
    const { support: agent } = shop({
      steps: [calls({ tool: 'orders_getOrder', arguments: { orderId: 'A-0' } }), says('No.')],
    })
    const client = await serve(projectOf([agent], { context: () => ({ sessionId: 'session-secret-8', labels }) }))
    const { run } = await client.post('api/runs', { agent: 'support', input: 'Where is A-0?' })
    await client.parts(run)
    const call = await client.post('api/calls', { tool: 'orders.getOrder', arguments: '{"orderId":"A-0"}' })
    await client.parts(call.run)
    const text = await everything(client)
    expect(text).toContain('There is no order A-0.')
    expect(text).not.toMatch(/tenant-secret-7|session-secret-8|secret_table/)
  })
})
