import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project } from '../cli/project.fixture.js'

const json = (schema: object) => ({ description: '', content: { 'application/json': { schema } } })
const problem = { $ref: '#/components/schemas/Problem' }
const pet = { $ref: '#/components/schemas/Pet' }
const path = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
const secured = (scheme: string) => ({
  get: { operationId: `secret/${scheme}`, summary: 'Secret.', security: [{ [scheme]: [] }], responses: {} },
})

const document = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets/{id}': {
      get: {
        operationId: 'pets/get',
        summary: 'Looks at a pet.',
        parameters: [
          path,
          { name: 'fields', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
        ],
        responses: { 200: json(pet), 404: json(problem), '5XX': { description: 'down' } },
      },
    },
    '/pets': {
      post: {
        operationId: 'pets/create',
        summary: 'Adds a pet.',
        requestBody: { required: true, content: { 'application/json': { schema: pet } } },
        responses: {
          201: json(pet),
          422: { $ref: '#/components/responses/Invalid' },
          409: { description: 'conflict', content: { 'text/plain': { schema: { type: 'string' } } } },
          default: json(problem),
        },
      },
    },
    '/pets/names': {
      get: { operationId: 'pets-get', summary: 'Lists names.', responses: { 200: json({ type: 'array' }) } },
    },
    '/pets/again': {
      get: { operationId: 'pets/Get', summary: 'Same name.', responses: { 200: json({ type: 'array' }) } },
    },
    '/secret/key': secured('key'),
    '/secret/query': secured('query'),
    '/secret/cookie': secured('cookie'),
    '/secret/token': secured('token'),
    '/secret/user': secured('user'),
  },
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      query: { type: 'apiKey', in: 'query', name: 'key' },
      cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
      token: { type: 'http', scheme: 'bearer' },
      user: { type: 'http', scheme: 'basic' },
    },
    responses: {
      Invalid: json({
        type: 'object',
        required: ['errors'],
        properties: {
          errors: {
            type: 'array',
            items: { type: 'object', required: ['field'], properties: { field: { type: 'string' } } },
          },
        },
      }),
    },
    schemas: {
      Problem: {
        type: 'object',
        required: ['reason'],
        properties: { reason: { type: 'string', enum: ['gone', 'busy'] } },
      },
      Pet: {
        type: 'object',
        required: ['name'],
        properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string' } },
      },
    },
  },
}

const use = `import { newPetsClient, type PetsClient } from '../gen/toolsets/pets/openapi.js'
import type { PetsCreateError } from '../gen/toolsets/pets/index.js'
import { newWeatherClient } from '../gen/toolsets/weather/openapi.js'
import { ApiError, unwrap } from '@toolgen/runtime/openapi'
export { ApiError, newPetsClient, unwrap }

export async function described(pets: PetsClient): Promise<string> {
  const { data, error } = await pets.pets.create({ name: 'Rex' })
  if (error === undefined) return data.name
  if (error.status === 422) return error.body.errors.map(({ field }) => field).join()
  if (error.status === 409) return error.body.toUpperCase()
  if (error.status !== undefined) return error.body.reason
  return error.mismatch ?? ''
}

export async function waitMs(baseUrl: string): Promise<number | undefined> {
  const { error } = await newWeatherClient({ baseUrl }).today()
  return error?.status === 429 ? error.body.waitMs : undefined
}

export const statusOf = (error: PetsCreateError): number => error.response.status
export async function checks(pets: PetsClient): Promise<void> {
  // @ts-expect-error: the field is misspelled
  await pets.pets.create({ nam: 'Rex' })
  // @ts-expect-error: the API has no such credential
  newPetsClient({ baseUrl: 'http://localhost', auth: { tokens: 't' } })
  // @ts-expect-error: the document has no server
  newPetsClient()
  const { error } = await pets.pets.get({ id: 1 })
  // @ts-expect-error: the document does not describe the body of this status
  if (error?.status === 409) error.body.reason
}
`

/** A toolset by hand, whose error has a schema of a library. */
const weather = `import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

const errors = { 429: z.object({ waitMs: z.number() }) }
export const weather = defineToolset('weather', {
  description: 'The weather.',
  openapi: { operations: { today: { method: 'GET', path: '/today', errors } } },
  tools: { today: defineTool({ description: 'Today.', payload: z.object({}), result: z.object({ degrees: z.number() }) }) },
})
`

/** The module of the imported toolset, in which the runtime fills a field in calls of agents. */
const owned = `import { importedToolset } from '@toolgen/dsl'
import { petsSnapshot } from './pets.openapi.snapshot.js'
export const pets = importedToolset(petsSnapshot, { tools: { petsGet: { serverOwned: { 'X-Trace': 'sessionId' } } } })
`

/** What the API answers next; it keeps the requests. */
let answer: {
  readonly status?: number
  readonly body?: string
  readonly type?: string
  readonly hangs?: 'headers' | 'body'
}
let requests: { readonly line: string; readonly headers: IncomingMessage['headers']; readonly body: string }[]
const server = createServer(async (request, response) => {
  const chunks = await request.toArray()
  requests.push({
    line: `${request.method} ${request.url}`,
    headers: request.headers,
    body: Buffer.concat(chunks).toString(),
  })
  const { status = 200, body, type = 'application/json', hangs } = answer
  if (hangs === 'headers') return
  response.writeHead(status, { 'content-type': type })
  if (hangs === 'body') response.write('{')
  else response.end(body)
})

let project: Project
let program: any
let pets: any
let baseUrl: string

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  baseUrl = `http://127.0.0.1:${port}/v1`
  project = createProject({
    'package.json': '{ "type": "module" }',
    'api.json': JSON.stringify(document),
    'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/*.ts' })`,
    'src/use.ts': use,
    'tsconfig.json': JSON.stringify({
      compilerOptions: { module: 'nodenext', target: 'es2022', strict: true, skipLibCheck: true, outDir: 'dist' },
      include: ['gen', 'src'],
    }),
  })
  const imported = project.toolgen('import', 'openapi', 'pets', '--from', 'api.json')
  expect([imported.code, imported.stderr]).toEqual([0, expect.not.stringContaining('error')])
  project.write({ 'design/weather.ts': weather, 'design/pets.openapi.ts': owned })
  expect(project.toolgen('generate')).toMatchObject({ code: 0 })
  expect(project.tsc('-p', '.')).toEqual({ code: 0, stdout: '' })
  program = await import(pathToFileURL(join(project.root, 'dist/src/use.js')).href)
  pets = client()
})

afterAll(() => {
  project.remove()
  server.closeAllConnections()
  server.close()
})

function client(options: object = {}): any {
  return program.newPetsClient({ baseUrl, ...options })
}

function answers(next: typeof answer): void {
  answer = next
  requests = []
}

describe('the client of a document', () => {
  it('sends parameters and a body, and returns typed data', async () => {
    answers({ body: '{"id":7,"name":"Rex","more":1}' })
    const found = await pets.pets.get({ id: 7, fields: ['a', 'b'], 'X-Trace': 't' }, { headers: { 'x-own': 'o' } })
    expect(found).toMatchObject({ ok: true, data: { id: 7, name: 'Rex' }, response: { status: 200 } })
    expect(found.data).toEqual({ id: 7, name: 'Rex' })
    expect(requests[0]).toMatchObject({
      line: 'GET /v1/pets/7?fields=a&fields=b',
      headers: { 'x-trace': 't', 'x-own': 'o' },
    })
    answers({ status: 201, body: '{"id":8,"name":"Tom"}' })
    expect(await program.unwrap(pets.pets.create({ name: 'Tom' }))).toEqual({ id: 8, name: 'Tom' })
    expect(requests[0]).toMatchObject({ line: 'POST /v1/pets', body: '{"name":"Tom"}' })
  })

  it('has the other operations under the names of their tools, and one of two equal names gets a hash', async () => {
    expect(Object.keys(pets)).toEqual([expect.stringMatching(/^pets_?get/i), 'pets', 'secret'])
    expect(Object.keys(pets.pets)).toEqual(['get', 'create', expect.stringMatching(/^get_[0-9a-f]+$/)])
  })

  it.each<[string, object, object]>([
    ['key', { key: 'k' }, { headers: { 'x-key': 'k' } }],
    ['query', { query: 'q u' }, { line: 'GET /v1/secret/query?key=q%20u' }],
    ['cookie', { cookie: 'c' }, { headers: { cookie: 'sid=c' } }],
    ['token', { token: () => 't' }, { headers: { authorization: 'Bearer t' } }],
    ['user', { user: { username: 'me', password: 'p' } }, { headers: { authorization: `Basic ${btoa('me:p')}` } }],
  ])('sends the credential %s', async (scheme, auth, sent) => {
    answers({ body: '1' })
    expect(await client({ auth }).secret[scheme]()).toMatchObject({ ok: true, data: 1 })
    expect(requests[0]).toMatchObject(sent)
  })

  it('rejects invalid arguments before it sends a request', async () => {
    answers({})
    await expect(pets.pets.get({ id: 'x' })).rejects.toThrow(
      "Invalid arguments for 'pets.petsGet':\n  - /id: Expected an integer",
    )
    await expect(pets.pets.create({ name: 'a', more: 1 })).rejects.toMatchObject({ name: 'InvalidArgumentsError' })
    expect(requests).toEqual([])
    expect(() => client({ timeoutMs: 0 })).toThrow('timeoutMs must be an integer')
    expect(() => client({ baseUrl: undefined })).toThrow('has no base URL. Set baseUrl')
  })
})

describe('an error of the client', () => {
  it.each<[number, string, string, string]>([
    [422, '{"errors":[{"field":"name"},{"field":"age"}]}', 'application/json', 'name,age'],
    [409, 'taken', 'text/plain', 'TAKEN'],
    [409, '12', 'text/plain', '12'],
    [500, '{"reason":"busy"}', 'text/plain', 'busy'],
    [422, '{"errors":1}', 'application/json', '/errors: Expected an array'],
    [422, '{"errors":', 'application/json', 'the body: Expected an object'],
    [500, '<p>Down</p>', 'text/html; charset=utf-8', 'it is HTML'],
    [503, '{"reason":"secret-word"}', 'application/json', '/reason: Expected one of "gone", "busy"'],
  ])('is typed by the status: %i %s', async (status, body, type, expected) => {
    answers({ status, body, type })
    expect(await program.described(pets)).toBe(expected)
    const { ok, error } = await pets.pets.create({ name: 'a' })
    expect(ok).toBe(false)
    expect(error).toBeInstanceOf(program.ApiError)
    expect(program.statusOf(error)).toBe(status)
    expect(error.message).toMatch(new RegExp(`^POST /pets returned status ${status}($|; its body does not match)`))
    expect(error.message).not.toContain('secret-word')
    await expect(program.unwrap(pets.pets.create({ name: 'a' }))).rejects.toThrow(error.message)
  })

  it('keeps an undescribed body as it is', async () => {
    answers({ status: 418, body: '{"tea":true}' })
    expect((await pets.pets.get({ id: 1 })).error).toMatchObject({
      status: 418,
      body: { tea: true },
      mismatch: undefined,
    })
    answers({ status: 503, body: '' })
    expect((await pets.pets.get({ id: 1 })).error).toMatchObject({ status: 503, body: null, mismatch: undefined })
  })

  it('is typed by a schema of the design', async () => {
    answers({ status: 429, body: '{"waitMs":5}' })
    expect(await program.waitMs(baseUrl)).toBe(5)
  })

  it('names the mismatch of a successful response', async () => {
    answers({ body: '{"id":1}' })
    expect((await pets.pets.get({ id: 1 })).error).toMatchObject({
      status: undefined,
      body: { id: 1 },
      response: { status: 200 },
      mismatch: expect.stringContaining('name'),
    })
    answers({ body: '{' })
    expect((await pets.pets.get({ id: 1 })).error.mismatch).toBe('it is not valid JSON')
  })

  it.each(['headers', 'body'] as const)(
    'is the reason of the signal, and a timeout, while it waits for %s',
    async (hangs) => {
      answers({ hangs })
      await expect(client({ timeoutMs: 50 }).pets.get({ id: 1 })).rejects.toMatchObject({ name: 'TimeoutError' })
      const controller = new AbortController()
      const pending = pets.pets.get({ id: 1 }, { signal: controller.signal })
      await expect.poll(() => requests.length).toBe(2)
      controller.abort(new Error('stop'))
      await expect(pending).rejects.toThrow('stop')
      await expect(pets.pets.get({ id: 1 }, { signal: controller.signal })).rejects.toThrow('stop')
      expect(requests).toHaveLength(2)
    },
  )
})

describe('the snapshot of a document', () => {
  it('has the schemas of the errors by status', () => {
    const { tools, definitions } = JSON.parse(project.read('design/pets.openapi.json'))
    expect(tools.petsGet.operation.errors).toEqual({ '404': { $ref: '#/$defs/Problem' }, '5XX': true })
    expect(Object.keys(tools.petsCreate.operation.errors)).toEqual(['409', '422', 'default'])
    expect(tools.petsCreate.operation.errors).toMatchObject({
      '409': { type: 'string' },
      '422': { required: ['errors'] },
    })
    expect(Object.keys(definitions)).toContain('Problem')
  })
})
