import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Runtime } from '../agents/runtime.js'
import { newToolCall } from '../call/descriptors.js'
import { payloadCodec, resultCodec } from '../codec/codecs.js'
import { toolsetRegistration } from '../layers/registration.js'
import { type ApiOperation, type OpenApiExecutorOptions, openApiExecutor, type ToolsetApi } from '../openapi.js'
import type { ToolSpec } from '../types/tool.js'

const anything = { type: 'object', additionalProperties: true } as const

/** An API of one operation, with the requests that its executor sends. */
function apiOf(
  operation: Partial<ApiOperation>,
  answer: (url: string, init: RequestInit) => Response,
  options: OpenApiExecutorOptions = {},
) {
  const spec: ToolSpec = {
    ...{ id: 'api.run', toolset: 'api', name: 'run', namespace: 'default', toolName: 'run', title: 'Run' },
    ...{ description: 'Runs.', tags: [], arguments: anything, result: true, examples: [], serverOwned: [] },
    ...{ annotations: {}, hash: '' },
  }
  const payload = payloadCodec<any, any>({ schema: anything })
  const result = resultCodec<any, any>({ schema: true })
  const call: any = (args: unknown) => newToolCall(spec, payload, args as never)
  const api: ToolsetApi = {
    toolset: { name: 'api', namespace: 'default', description: 'An API.', tools: [{ spec, payload, result, call }] },
    server: 'https://example.com/v1/',
    security: {
      key: { type: 'apiKey', in: 'query', name: 'api key' },
      session: { type: 'apiKey', in: 'cookie', name: 'sid' },
      token: { type: 'bearer' },
      user: { type: 'basic' },
    },
    operations: {
      run: { method: 'GET', path: '/things/{id}', parameters: [{ field: 'id', in: 'path' }], ...operation },
    },
  }
  const requests: { readonly url: string; readonly init: any }[] = []
  const send: any = async (url: URL, init: RequestInit) => {
    requests.push({ url: url.href, init })
    return answer(url.href, init)
  }
  const executor = openApiExecutor(api, { fetch: send, ...options })
  const tools = new Runtime().registerToolset(
    toolsetRegistration({ toolset: api.toolset, provider: 'service' }, executor),
  )
  return { requests, run: (args: object): Promise<any> => tools.execute(call(args)) }
}

const json = (value: unknown, init: ResponseInit = {}): Response =>
  new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' }, ...init })
const ok = (): Response => json({ ok: true })

describe('a request', () => {
  it('has what is injected, whatever the model gives', async () => {
    const parameters = [
      { field: 'id', in: 'path' },
      { field: 'tenant', name: 'X-Tenant', in: 'header' },
    ] as const
    const { requests, run } = apiOf({ parameters, security: [['missing'], ['key', 'session', 'token']] }, ok, {
      auth: { key: 'k&1', session: () => 's;1', token: async ({ tool }) => `t-${tool.name}` },
      headers: ({ meta }) => ({ 'x-tenant': 'ours', 'x-call': meta.toolCallId }),
    })
    expect(await run({ id: 'a b', tenant: 'theirs' })).toMatchObject({
      status: 'completed',
      result: { data: { ok: true } },
    })
    expect(requests[0]?.url).toBe('https://example.com/v1/things/a%20b?api%20key=k%261')
    expect(Object.fromEntries(requests[0]?.init.headers)).toMatchObject({
      'x-tenant': 'ours',
      cookie: 'sid=s%3B1',
      authorization: 'Bearer t-run',
    })
  })

  it.each<[readonly (readonly string[])[], string | null]>([
    [[['user']], `Basic ${btoa('j\u00C3\u00B6:p:w')}`],
    [[['token'], ['user']], `Basic ${btoa('j\u00C3\u00B6:p:w')}`],
    [[['token']], null],
    [[], null],
  ])('proves who asks by the first of %j that is given whole', async (security, authorization) => {
    const { requests, run } = apiOf({ security }, ok, { auth: { user: { username: 'jö', password: 'p:w' } } })
    await run({ id: '1' })
    expect(requests[0]?.init.headers.get('authorization')).toBe(authorization)
  })

  it.each([
    ['spaceDelimited', ['a b'], [1, 'b']],
    ['spaceDelimited', ['x', 'a b'], ['|']],
    ['pipeDelimited', ['a', 'b|c'], [' ']],
  ] as const)('refuses parts that have the mark which stands between parts: %s %j', async (style, list, writable) => {
    const parts = { list: { style, explode: false } }
    for (const operation of [
      { parameters: [{ field: 'list', in: 'query', style }] },
      { method: 'POST', body: { type: 'application/x-www-form-urlencoded', as: 'form', fields: ['list'], parts } },
      { method: 'POST', body: { type: 'multipart/form-data', as: 'multipart', fields: ['list'], parts } },
    ] as const) {
      const { requests, run } = apiOf({ path: '/', ...operation }, ok)
      expect(await run({ list })).toMatchObject({
        error: { reason: 'invalid_arguments' },
        hint: { message: expect.stringContaining('must not have items that contain') },
      })
      expect(requests).toEqual([])
      expect(await run({ list: writable })).toMatchObject({ status: 'completed' })
    }
    const exploded = apiOf({ path: '/', parameters: [{ field: 'list', in: 'query', style, explode: true }] }, ok)
    expect(await exploded.run({ list })).toMatchObject({ status: 'completed' })
  })

  it('has each credential as the only one of its name', async () => {
    const parameters = [
      { field: 'key', name: 'api key', in: 'query' },
      { field: 'more', in: 'query' },
      { field: 'sid', in: 'cookie' },
      { field: 'jar', in: 'cookie' },
      { field: 'theme', in: 'cookie' },
    ] as const
    const { requests, run } = apiOf({ path: '/things', parameters, security: [['key', 'session']] }, ok, {
      auth: { key: 'K', session: 'S' },
      baseUrl: 'https://example.com?api+key=base&v=1%',
      headers: { cookie: 'sid=header; theme=dark' },
    })
    await run({
      key: 'EVIL',
      more: { 'api key': 'EVIL', page: 2 },
      sid: 'EVIL',
      jar: { sid: 'EVIL', a: 1 },
      theme: 'EVIL',
    })
    expect(requests[0]?.url).toBe('https://example.com/things?v=1%&page=2&api%20key=K')
    expect(requests[0]?.init.headers.get('cookie')).toBe('a=1; sid=S; theme=dark')
  })

  it('goes to the base URL of the call, which may have a query', async () => {
    const { requests, run } = apiOf({ path: '/things?kind=a', server: 'https://other.example' }, ok, {
      baseUrl: async () => 'http://localhost:1/x?y=1',
    })
    await run({})
    expect(requests[0]?.url).toBe('http://localhost:1/x/things?y=1&kind=a')
  })

  it.each([
    ['..', 'must not be'],
    ['.', 'must not be'],
    ['', 'must not be empty'],
    [[], 'must have a value'],
  ])('stays within its part of the path: %j', async (id, why) => {
    const { requests, run } = apiOf({}, ok)
    expect(await run({ id })).toMatchObject({
      status: 'failed',
      error: { reason: 'invalid_arguments' },
      hint: { message: expect.stringContaining(why) },
    })
    expect(requests).toEqual([])
  })

  it('encodes what would lead elsewhere', async () => {
    const { requests, run } = apiOf({}, ok)
    await run({ id: '../../admin?x#y%2F' })
    expect(requests[0]?.url).toBe('https://example.com/v1/things/..%2F..%2Fadmin%3Fx%23y%252F')
  })

  it('refuses header values that no header can have', async () => {
    const { run } = apiOf({ path: '/', parameters: [{ field: 'h', in: 'header' }] }, ok)
    for (const h of ['a\r\nx: y', 'œ'])
      expect(await run({ h })).toMatchObject({ error: { reason: 'invalid_arguments' } })
  })

  it.each<[object, object, unknown, string | null]>([
    [
      { type: 'application/json', as: 'json', fields: ['a', 'b_'], names: { b_: 'b' } },
      { a: 1, b_: null },
      '{"a":1,"b":null}',
      'application/json',
    ],
    [{ type: 'application/json', as: 'json', fields: ['a'] }, {}, undefined, null],
    [{ type: 'application/json', as: 'json', fields: ['a'], required: true }, {}, '{}', 'application/json'],
    [{ type: 'application/json', as: 'json', field: 'body' }, { body: [1] }, '[1]', 'application/json'],
    [
      {
        type: 'application/x-www-form-urlencoded',
        as: 'form',
        fields: ['a', 'b', 'c'],
        parts: { b: { explode: false } },
      },
      { a: ['x y', '&'], b: [1, 2], c: { d: 1 } },
      'a=x+y&a=%26&b=1,2&c=%7B%22d%22%3A1%7D',
      'application/x-www-form-urlencoded',
    ],
    [
      {
        type: 'application/x-www-form-urlencoded',
        as: 'form',
        fields: ['a', 'b'],
        parts: { a: { type: 'application/json' }, b: { type: 'application/json; charset=utf-8' } },
      },
      { a: ['x', null], b: 'y' },
      'a=%5B%22x%22%2Cnull%5D&b=%22y%22',
      'application/x-www-form-urlencoded',
    ],
    [{ type: 'text/plain', as: 'text', field: 'body' }, { body: 'hi' }, 'hi', 'text/plain'],
    [{ type: 'image/png', as: 'bytes', field: 'body' }, { body: 'AQI=' }, new Uint8Array([1, 2]), 'image/png'],
  ])('carries a body: %j', async (body: any, args, sent, type) => {
    const { requests, run } = apiOf({ method: 'POST', path: '/', body }, ok)
    expect(await run(args)).toMatchObject({ status: 'completed' })
    expect([requests[0]?.init.body, requests[0]?.init.headers.get('content-type')]).toEqual([sent, type])
  })

  it('carries files in a multipart body', async () => {
    const body = {
      type: 'multipart/form-data',
      as: 'multipart',
      fields: ['file', 'meta', 'n'],
      parts: { file: { bytes: true, type: 'image/png' } },
    } as const
    const { requests, run } = apiOf({ method: 'POST', path: '/', body }, ok)
    await run({ file: ['AQI=', 'Aw=='], meta: { a: 1 }, n: 1 })
    const form: FormData = requests[0]?.init.body
    const files: any[] = form.getAll('file')
    expect(files.map(({ type, size }) => [type, size])).toEqual([
      ['image/png', 2],
      ['image/png', 1],
    ])
    // As fields, without the name of a file.
    expect([form.get('meta'), form.get('n')]).toEqual(['{"a":1}', '1'])
    expect(await run({ file: 'no base64' })).toMatchObject({
      status: 'failed',
      error: { reason: 'invalid_arguments' },
      hint: { message: expect.stringContaining('"file" must be a base64 string') },
    })
  })

  it('carries a list in one part of a multipart body where that is said', async () => {
    const parts = { l: { explode: false }, p: { style: 'pipeDelimited', explode: false } } as const
    const body = { type: 'multipart/form-data', as: 'multipart', fields: ['l', 'p'], parts } as const
    const { requests, run } = apiOf({ method: 'POST', path: '/', body }, ok)
    await run({ l: ['a', 'b'], p: ['a', 1] })
    const form: FormData = requests[0]?.init.body
    expect([form.getAll('l'), form.getAll('p')]).toEqual([['a,b'], ['a|1']])
  })

  it('carries null where its body is that', async () => {
    const body = { type: 'application/json', as: 'json', field: 'body' } as const
    const { requests, run } = apiOf({ method: 'POST', path: '/', body }, ok)
    await run({ body: null })
    expect(requests[0]?.init.body).toBe('null')
  })

  it('has parameters in its path whose names have a slash', async () => {
    const { requests, run } = apiOf({ path: '/x/{a/b}/y', parameters: [{ field: 'ab', name: 'a/b', in: 'path' }] }, ok)
    await run({ ab: '1' })
    expect(requests[0]?.url).toBe('https://example.com/v1/x/1/y')
  })

  it.each(['', 'example.com', 'ftp://example.com', 'https://example.com/a#b', 'https://me:secret@example.com'])(
    'goes to no base URL such as %j',
    async (baseUrl) => {
      expect(() => apiOf({}, ok, { baseUrl })).toThrow(/^baseUrl must/)
      const { requests, run } = apiOf({}, ok, { baseUrl: () => baseUrl })
      expect(await run({ id: '1' })).toMatchObject({ status: 'failed' })
      expect(requests).toEqual([])
    },
  )

  it.each<[option: string, values: readonly unknown[]]>([
    ['maxResponseBytes', [Number.NaN, -1, 0, 1.5, '5', Number.POSITIVE_INFINITY, null]],
    ['auth', [5, 'secret', null]],
    ['auth.token', [5, null, {}, { username: 'me' }, ['secret']].map((token) => ({ token }))],
  ])('takes nothing for `%s` that it cannot be', (option, values) => {
    const [name = ''] = option.split('.')
    for (const value of values) expect(() => apiOf({}, ok, { [name]: value })).toThrow(`${option} must be`)
  })

  it.each<[OpenApiExecutorOptions, string]>([
    [{ auth: { token: 'secret\r\nx' } }, 'auth.token is sent as a header'],
    [{ headers: { 'x-key': 'secret\nx' } }, 'headers["x-key"] is sent as a header'],
  ])('quotes no secret that no header can have: %j', async (options, message) => {
    const { requests, run } = apiOf({ security: [['token']] }, ok, options)
    const { error } = await run({ id: '1' })
    expect(error.cause.message).toContain(message)
    expect(error.cause.message).not.toContain('secret')
    expect(requests).toEqual([])
  })
})

describe('an answer', () => {
  it.each([
    ['iso-8859-1', 'é'],
    ['no-such', '\uFFFD'],
  ])('of text in %s is read as that, else as UTF-8', async (charset, text) => {
    const answer = () =>
      new Response(new Uint8Array([0xe9]), { headers: { 'content-type': `text/plain; charset=${charset}` } })
    expect(await apiOf({}, answer).run({ id: '1' })).toMatchObject({ result: { data: text } })
  })

  it('is JSON in the charset that it says', async () => {
    const answer = () =>
      new Response(new Uint8Array([0x22, 0xe9, 0x22]), {
        headers: { 'content-type': 'application/json; charset=iso-8859-1' },
      })
    expect(await apiOf({}, answer).run({ id: '1' })).toMatchObject({ result: { data: 'é' } })
  })

  it.each<[string, Response, object, unknown]>([
    ['JSON', json([1]), { 200: 'json' }, [1]],
    [
      'JSON that says that it is something else',
      new Response('{}', { headers: { 'content-type': 'text/plain' } }),
      { '2XX': 'json' },
      {},
    ],
    ['text', new Response('hi'), { default: 'text' }, 'hi'],
    ['bytes', new Response(new Uint8Array([1, 2])), { 200: 'bytes' }, 'AQI='],
    ['nothing', new Response('ignored'), { 200: 'none' }, null],
    ['no content', new Response(null, { status: 204 }), { 200: 'json' }, null],
    ['JSON by its own word', json({ a: 1 }, { status: 201 }), {}, { a: 1 }],
    [
      'bytes by their own word',
      new Response(new Uint8Array([1]), { headers: { 'content-type': 'image/png' } }),
      {},
      'AQ==',
    ],
    ['nothing by its own word', new Response(''), {}, null],
  ])('is %s', async (_, response, responses: any, data) => {
    const { run } = apiOf({ responses }, () => response)
    expect(await run({ id: '1' })).toMatchObject({ status: 'completed', result: { data } })
  })

  it.each<[string, Response, OpenApiExecutorOptions]>([
    ['is no JSON', new Response('<html>'), {}],
    ['is larger than it may be', json('x'.repeat(100)), { maxResponseBytes: 50 }],
  ])('that %s is malformed', async (_, response, options) => {
    const { run } = apiOf({ responses: { 200: 'json' } }, () => response, options)
    expect(await run({ id: '1' })).toMatchObject({ status: 'failed', error: { reason: 'malformed_result' } })
  })

  it.each<[number, string]>([
    [400, 'domain_rejection'],
    [401, 'denied'],
    [403, 'denied'],
    [404, 'domain_rejection'],
    [409, 'domain_rejection'],
    [429, 'rate_limited'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [504, 'timeout'],
  ])(
    'with status %i fails as %s; what the API says of a refusal is told, of other failures it is not',
    async (status, reason) => {
      const { run } = apiOf({}, () =>
        json(
          { message: 'said by the API' },
          { status, headers: { 'content-type': 'application/json', 'retry-after': '2' } },
        ),
      )
      const { error, hint } = await run({ id: '1' })
      expect(error.reason).toBe(status === 403 ? 'rate_limited' : reason)
      expect(JSON.stringify(hint).includes('said by the API')).toBe(reason === 'domain_rejection')
      if (reason === 'rate_limited' || reason === 'unavailable') expect(hint.retryAfterMs).toBe(2_000)
    },
  )

  it('that refuses with a page for people says nothing to a model, one that is long a part of it', async () => {
    const page = apiOf(
      {},
      () => new Response('<html>secret</html>', { status: 404, headers: { 'content-type': 'text/html' } }),
    )
    expect(JSON.stringify(await page.run({ id: '1' }))).not.toContain('secret')
    const long = apiOf({}, () => new Response('x'.repeat(100_000), { status: 422 }))
    expect((await long.run({ id: '1' })).hint.message.length).toBeLessThan(1_100)
  })
})

describe('a redirect', () => {
  const to = (location: string, status = 302): Response => new Response(null, { status, headers: { location } })

  it('is followed where something is read, elsewhere without what is secret', async () => {
    const places: Readonly<Record<string, Response>> = {
      'https://example.com/v1/things/1': to('/v2/one'),
      'https://example.com/v2/one': to('https://cdn.example/one?signature=x'),
    }
    const { requests, run } = apiOf({ security: [['token']] }, (url) => places[url] ?? ok(), {
      auth: { token: 't' },
      headers: { 'x-key': 'k' },
    })
    expect(await run({ id: '1' })).toMatchObject({ status: 'completed' })
    expect(
      requests.map(({ url, init }) => [url, init.headers.get('authorization'), init.headers.get('x-key')]),
    ).toEqual([
      ['https://example.com/v1/things/1', 'Bearer t', 'k'],
      ['https://example.com/v2/one', 'Bearer t', 'k'],
      ['https://cdn.example/one?signature=x', null, null],
    ])
  })

  it.each<[string, string, string]>([
    ['of what changes something', 'POST', 'https://example.com/2'],
    ['to an open connection', 'GET', 'http://example.com/1'],
    ['without end', 'GET', 'https://example.com/v1/things/1'],
  ])('%s fails', async (_, method, location) => {
    const { requests, run } = apiOf({ method }, () => to(location, 307))
    expect(await run({ id: '1' })).toMatchObject({ status: 'failed', error: { reason: 'internal' } })
    expect(requests.length).toBeLessThanOrEqual(6)
  })
})

it('is aborted with its call', async () => {
  const { run } = apiOf({}, () => ok(), {
    fetch: (async (_: unknown, { signal }: RequestInit) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason)),
      )) as typeof fetch,
  })
  const outcome = run({ id: '1' })
  expect(await Promise.race([outcome, Promise.resolve('waits')])).toBe('waits')
})

it('is not made where nothing says where the API is', () => {
  const toolset = { name: 'api', namespace: 'default', description: '', tools: [] }
  const api: ToolsetApi = { toolset, operations: { run: { method: 'GET', path: '/' } } }
  expect(() => openApiExecutor(api)).toThrow("The document of toolset 'api' has no base URL. Set baseUrl")
  expect(openApiExecutor(api, { baseUrl: 'https://example.com' })).toBeDefined()
})

describe('a body that cannot be decompressed', () => {
  const run = async (encoding: string, body: Buffer, status = 200) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
    const server = createServer((_, response) => response.writeHead(status, headers).end(body))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const api = apiOf({}, ok, { baseUrl: `http://${host}`, fetch })
    return { host, outcome: await api.run({ id: 'a' }) }
  }

  it.each([
    ['gzip', Buffer.from('no gzip')],
    ['deflate', Buffer.from('no deflate')],
    ['br', Buffer.from('no brotli')],
  ])('of the encoding %s fails the call with the host and a next step', async (encoding, body) => {
    const { host, outcome } = await run(encoding, body)
    expect(outcome).toMatchObject({
      status: 'failed',
      error: {
        reason: 'unavailable',
        message: `The API at ${host} sent a body that cannot be decompressed. Check the header \`content-encoding\` of the API and its proxies, or try again later.`,
      },
    })
    expect(outcome.error.cause).toBeDefined()
  })

  it('of an error response leaves its status', async () => {
    const { outcome } = await run('gzip', Buffer.from('no gzip'), 404)
    expect(outcome).toMatchObject({ error: { reason: 'domain_rejection', cause: { status: 404, body: '' } } })
  })
})
