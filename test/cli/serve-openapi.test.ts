import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasData } from '../data.js'
import { sourceOf } from '../openapi-import/documents.fixture.js'
import { runInThread } from './command-thread.js'
import { plainEnvironment, toolgenCommand } from './project.fixture.js'

const json = (schema: object) => ({ 200: { description: '', content: { 'application/json': { schema } } } })
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
const pet = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
}
const operation = (operationId: string, security: object[] = [], more: object = {}) => ({
  ...{ operationId, summary: `${operationId}.`, security, parameters: [id], responses: json(pet), tags: ['pets'] },
  ...more,
})

const document = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets/{id}': {
      get: operation('getPet', [{ api_key: [] }]),
      delete: operation('deletePet', [{ user: [] }]),
    },
    '/owners/{id}': { get: operation('owners/get', [{ token: [] }], { tags: ['owners'] }) },
  },
  components: {
    securitySchemes: {
      api_key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      user: { type: 'http', scheme: 'basic' },
      token: { type: 'oauth2', flows: {} },
    },
  },
}

const requests: { readonly line: string; readonly headers: IncomingMessage['headers'] }[] = []
const api = createServer((request, response) => {
  requests.push({ line: `${request.method} ${request.url}`, headers: request.headers })
  const number = Number(request.url?.split('/').at(-1))
  const isDocument = request.url === '/openapi.json'
  response.writeHead(number === 404 ? 404 : 200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify(isDocument ? document : number === 404 ? { reason: 'sold' } : { id: number, name: 'Rex' }),
  )
})

/** A folder without a project. */
const folder = mkdtempSync(join(tmpdir(), 'toolgen-serve-'))
const secrets = { PETS_KEY: 'k-1', PETS_USER: 'me', PETS_PASSWORD: 'p-1', PETS_TOKEN: 't-1' }
const auth = ['--auth', 'api_key=PETS_KEY,user=PETS_USER:PETS_PASSWORD,bearer=PETS_TOKEN']
let origin: string

beforeAll(async () => {
  await new Promise<void>((done) => api.listen(0, '127.0.0.1', done))
  origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  writeFileSync(join(folder, 'pets.json'), JSON.stringify(document))
  writeFileSync(join(folder, 'plain.json'), JSON.stringify({ ...document, components: {} }))
  writeFileSync(join(folder, 'other.json'), '{ "name": "no document" }')
})

const clients: Client[] = []
const started: ChildProcess[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  for (const child of started.splice(0)) child.kill('SIGKILL')
  requests.splice(0)
})
afterAll(() => {
  api.close()
  rmSync(folder, { recursive: true, force: true })
})

async function connected(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  clients.push(client)
  await client.connect(transport)
  return client
}

/** A client of `toolgen serve --openapi` over stdio, with what the command writes to standard error. */
async function overStdio(...args: readonly string[]) {
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [toolgenCommand, 'serve', ...args], cwd: folder, stderr: 'pipe' },
    env: { PATH: process.env.PATH ?? '', ...secrets },
  })
  let err = ''
  transport.stderr?.on('data', (chunk) => {
    err += chunk
  })
  const faults: unknown[] = []
  const client = await connected(transport)
  client.onerror = (error) => faults.push(error)
  return { client, faults, err: () => err }
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

describe('toolgen serve --openapi', () => {
  it('serves the operations of a file over stdio, with credentials from the environment', async () => {
    const { client, faults, err } = await overStdio('--openapi', 'pets.json', '--base-url', `${origin}/v1`, ...auth)
    expect(await namesOf(client)).toEqual(['getPet', 'deletePet', 'owners_get'])
    const found = await client.callTool({ name: 'getPet', arguments: { id: 7 } })
    expect(found.structuredContent).toEqual({ id: 7, name: 'Rex' })
    const none = await client.callTool({ name: 'deletePet', arguments: { id: 404 } })
    expect([none.isError, JSON.stringify(none.content)]).toEqual([true, expect.stringContaining('sold')])
    await client.callTool({ name: 'owners_get', arguments: { id: 2 } })
    expect(requests).toMatchObject([
      { line: 'GET /v1/pets/7', headers: { 'x-key': 'k-1' } },
      { line: 'DELETE /v1/pets/404', headers: { authorization: `Basic ${btoa('me:p-1')}` } },
      { line: 'GET /v1/owners/2', headers: { authorization: 'Bearer t-1' } },
    ])
    expect(faults).toEqual([])
    await expect.poll(err).toBe('serving: 3 tools of api over stdio\n')
  })

  it('serves the selected operations of a URL over HTTP', async () => {
    const args = ['--openapi', `${origin}/openapi.json`, '--base-url', origin, '--tag', 'pets', '--read-only']
    const child = spawn(process.execPath, [toolgenCommand, 'serve', ...args, '--port', '0', '--json'], { cwd: folder })
    started.push(child)
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    await expect.poll(() => out).toMatch(/\n\}\n$/)
    const client = await connected(new StreamableHTTPClientTransport(new URL(JSON.parse(out).url)))
    expect(await namesOf(client)).toEqual(['getPet'])
    const found = await client.callTool({ name: 'getPet', arguments: { id: 3 } })
    expect(found.structuredContent).toEqual({ id: 3, name: 'Rex' })
  })

  it('runs programs with --code', async () => {
    const { client, err } = await overStdio('--openapi', 'pets.json', '--base-url', origin, '--code')
    expect((await namesOf(client)).sort()).toEqual(['run_program', 'search_tools'])
    const code = `const pets = [await api.getPet({ id: 1 }), await api.getPet({ id: 2 })]
return pets.map(({ id }) => id)`
    const { structuredContent } = await client.callTool({ name: 'run_program', arguments: { code } })
    expect(structuredContent).toEqual({ value: [1, 2] })
    await expect.poll(err).toContain('serving: run_program and search_tools for 3 tools of api over stdio')
  })

  it('sends credentials as headers if the document has no security schemes', async () => {
    const options = [
      '--openapi',
      'plain.json',
      '--base-url',
      origin,
      '--auth',
      'bearer=PETS_TOKEN,apiKey:X-Own=PETS_KEY',
    ]
    const { client } = await overStdio(...options)
    await client.callTool({ name: 'getPet', arguments: { id: 7 } })
    expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer t-1', 'x-own': 'k-1' })
  })

  const base = ['--openapi', 'pets.json', '--base-url', 'http://localhost']
  it.each<[readonly string[], string, string]>([
    [['--openapi', 'nope.json'], '`nope.json` cannot be read: ', 'Correct --openapi.'],
    [['--openapi', 'other.json'], 'it has neither `openapi` nor `swagger`', 'Use a document of OpenAPI'],
    [['--openapi', 'pets.json'], '`pets.json` does not name the URL of its API', '--base-url https://api.example.com'],
    [['--openapi', 'pets.json', '--base-url', 'api'], 'baseUrl must be an absolute URL', 'Correct `--base-url`'],
    [
      [...base, '--auth', 'api_key=NONE'],
      'scheme `api_key` is not set or empty in the environment: `NONE`',
      'Set the variable',
    ],
    [[...base, '--auth', 'user=PETS_USER'], '`user` needs two variables', '--auth user=API_USER:API_PASSWORD'],
    [[...base, '--auth', 'apikey=PETS_KEY'], 'no security scheme `apikey`', 'Did you mean `api_key`?'],
    [[...base, '--auth', 'session=PETS_KEY'], 'no security scheme `session`', 'api_key, user, token'],
    [[...base, '--auth', 'k-1'], 'A value of --auth is not `SCHEME=VARIABLE`', '--auth api_key=PETS_KEY'],
    [[...base, '--tag', 'pet'], '`--tag pet` matches no operation', 'Did you mean `pets`?'],
    [[...base, '--operation', 'deletePet', '--read-only'], '`--read-only` selects no operation', 'Omit `--read-only`'],
    [['--openapi', '-'], '--openapi - reads standard input', 'Add `--http`'],
    [[...base, 'serve.ts'], 'A module and --openapi cannot be combined', 'toolgen serve --openapi openapi.yaml'],
    [['serve.ts', '--read-only'], '--read-only has an effect only with --openapi', 'Omit --read-only'],
  ])('reports an error for %j', (args, message, next) => {
    const ran = runInThread(['serve', ...args], { cwd: folder, env: { ...plainEnvironment(), ...secrets } })
    expect([ran.code, ran.stdout]).toEqual([message.startsWith('it has neither') ? 3 : 2, ''])
    expect(ran.stderr).toContain(message)
    expect(ran.stderr).toContain(next)
    expect(ran.stderr).not.toMatch(/k-1|\n\s+at /)
  })

  it('reports a port in use', () => {
    const { port } = api.address() as AddressInfo
    const ran = runInThread(['serve', ...base, '--port', String(port)], { cwd: folder, env: plainEnvironment() })
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('the port is in use')])
  })

  it.skipIf(!hasData)('serves all operations of GitHub (needs the data folder)', async () => {
    writeFileSync(join(folder, 'github.json'), sourceOf('github.json.gz').text)
    const { client } = await overStdio('--openapi', 'github.json', '--base-url', origin, '--auth', 'bearer=PETS_TOKEN')
    const { tools } = await client.listTools()
    expect(tools.length).toBeGreaterThan(1000)
    // Without the definition, the client compiles the output schemas of all tools.
    const toolDefinition = tools.find(({ name }) => name === 'issues_get')
    const args = { owner: 'o', repo: 'r', issue_number: 5 }
    await client.callTool({ name: 'issues_get', arguments: args }, toolDefinition && { toolDefinition })
    expect(requests.at(-1)).toMatchObject({ line: 'GET /repos/o/r/issues/5', headers: { authorization: 'Bearer t-1' } })
  })
})
