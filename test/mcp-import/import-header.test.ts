import { spawn } from 'node:child_process'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { drift } from '../../packages/codegen/src/cli/drift.js'
import { createProject, type Project, plainEnvironment, type Ran, toolgenCommand } from '../cli/project.fixture.js'
import { endAll, listening } from '../mcp/http-server.fixture.js'

const TOKEN = 'ghp_0123456789abcdefTOKEN'
const AUTH = { FILES_AUTH: `Bearer ${TOKEN}` }
const config = `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/**/*.ts', output: 'gen' })
`

let project: Project
let requests: { readonly authorization: string | undefined; readonly tenant: string | undefined }[]
let outputs: string[]

beforeEach(() => {
  requests = []
  outputs = []
  project = createProject({ 'package.json': '{ "private": true, "type": "module" }\n', 'toolgen.config.ts': config })
})

afterEach(async () => {
  vi.unstubAllEnvs()
  const files = Object.values(project.tree())
  project.remove()
  await endAll()
  for (const text of [...files, ...outputs]) expect(text).not.toContain(TOKEN.slice(4, 20))
})

afterAll(endAll)

/** Serves one tool to requests with the token. Repeats the header in its errors. */
function tokenServer(): Promise<string> {
  return listening(async (request, response) => {
    const { authorization, 'x-tenant': tenant } = request.headers
    requests.push({ authorization, tenant: tenant as string | undefined })
    let body = ''
    for await (const chunk of request) body += chunk
    if (authorization !== `Bearer ${TOKEN}`) {
      response.writeHead(authorization === undefined ? 401 : 403).end(`wrong: ${authorization}`)
      return
    }
    if (request.method !== 'POST') {
      response.writeHead(405).end()
      return
    }
    if (tenant === 'broken') {
      response.writeHead(500).end(`failed for ${authorization}`)
      return
    }
    const { id, method, params } = JSON.parse(body)
    const serverInfo = { name: 'f', version: '1' }
    const results: Record<string, unknown> = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo },
      'tools/list': { tools: [{ name: 'read', description: 'Read.', inputSchema: { type: 'object' } }] },
    }
    if (!(method in results)) response.writeHead(id === undefined ? 202 : 400).end()
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }))
  })
}

/** Runs the command asynchronously, because the server runs in this process. */
function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = toolgenCommand,
): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: project.root,
    env: { ...plainEnvironment(), XDG_CONFIG_HOME: project.root, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      texts[name] += chunk
    })
  }
  return new Promise((resolve) =>
    child.once('close', (code) => {
      outputs.push(texts.stdout, texts.stderr)
      resolve({ code, ...texts })
    }),
  )
}

async function json(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<any> {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  return JSON.parse((await run(args.toSpliced(end, 0, '--json'), env)).stdout)
}

const importing = ['import', 'mcp', 'files'] as const
const header = ['--header', 'Authorization=FILES_AUTH'] as const

it('sends headers from environment variables, and records the names for later commands', async () => {
  const url = await tokenServer()
  const env = { ...AUTH, FILES_TENANT: 'a' }
  const first = await json([...importing, '--url', url, ...header, '--header', 'x-tenant=FILES_TENANT'], env)
  expect(first).toMatchObject({ diagnostics: [], tools: 1 })
  expect(new Set(requests.map((each) => JSON.stringify(each)))).toEqual(
    new Set([JSON.stringify({ authorization: AUTH.FILES_AUTH, tenant: 'a' })]),
  )
  const recorded = JSON.parse(project.read('design/files.mcp.json'))
  expect(recorded.origin).toEqual({ url, headers: { authorization: 'FILES_AUTH', 'x-tenant': 'FILES_TENANT' } })

  expect(await json(importing, env)).toMatchObject({ diagnostics: [], written: [] })
  expect(await json(['check', '--live'], env)).toMatchObject({ live: [{ toolset: 'files', state: 'same' }] })
  expect(JSON.parse(project.read('design/files.mcp.json'))).toEqual(recorded)
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const page = await drift({ cwd: project.root })
  expect(page).toMatchObject({ diagnostics: [], servers: [{ state: 'same', server: url }] })
  vi.unstubAllEnvs()
  outputs.push(JSON.stringify(page))

  expect((await json(['check', '--live'], AUTH)).diagnostics).toContainEqual(
    expect.objectContaining({
      code: 'TG0014',
      message: 'Cannot start or call the server: not set in the environment: `FILES_TENANT`.',
      next: expect.stringContaining('Set the variable in the environment of toolgen.'),
    }),
  )
})

it('adds or replaces the headers of a recorded URL', async () => {
  const url = await tokenServer()
  await json([...importing, '--url', url, ...header], AUTH)
  expect(await json([...importing, '--header', 'authorization=OTHER'], { OTHER: AUTH.FILES_AUTH })).toMatchObject({
    diagnostics: [],
  })
  expect(JSON.parse(project.read('design/files.mcp.json')).origin).toEqual({ url, headers: { authorization: 'OTHER' } })
  for (const words of [
    ['--live', 'files'],
    ['--live', 'files', '--url', url],
  ]) {
    expect(await json(['check', ...words, ...header], AUTH)).toMatchObject({ live: [{ state: 'same' }] })
  }
})

it('explains a response with the status 401 or 403', async () => {
  const url = await tokenServer()
  const [none] = (await json([...importing, '--url', url])).diagnostics
  expect(none).toMatchObject({ code: 'TG0012', message: expect.stringContaining('requires a login') })
  expect(none.next).toContain(`\`toolgen import mcp files --url ${url} --login\``)
  expect(none.next).toContain(`\`toolgen import mcp files --url ${url} --header authorization=MCP_AUTHORIZATION\``)

  const loggedIn = await json([...importing, '--url', url, '--login'])
  expect(loggedIn.diagnostics).toMatchObject([
    { code: 'TG0012', next: expect.stringContaining('--header authorization=') },
  ])

  const wrong = await json([...importing, '--url', url, ...header], { FILES_AUTH: TOKEN })
  expect(wrong.diagnostics).toMatchObject([
    {
      code: 'TG0012',
      message: `The server \`${url}\` rejected the request with the HTTP status 403. Headers of the request: \`authorization\` from \`FILES_AUTH\`.`,
      next: expect.stringContaining('usually begins with a scheme: `Bearer TOKEN`.'),
    },
  ])

  const tenant = await json([...importing, '--url', url, '--header', 'x-tenant=FILES_TENANT'], { FILES_TENANT: 'a' })
  expect(tenant.diagnostics).toMatchObject([
    {
      code: 'TG0012',
      message: expect.stringContaining('Headers of the request: `x-tenant` from `FILES_TENANT`.'),
      next: expect.stringContaining(`--url ${url} --header 'x-tenant=FILES_TENANT' --login`),
    },
  ])
})

it('does not quote an error of the server, which can contain the token', async () => {
  const url = await tokenServer()
  const words = [...importing, '--url', url, ...header, '--header', 'x-tenant=FILES_TENANT']
  expect((await json(words, { ...AUTH, FILES_TENANT: 'broken' })).diagnostics).toMatchObject([
    {
      code: 'TG0012',
      message: `The server \`${url}\` did not list its tools: it responded with the HTTP status 500.`,
    },
  ])
})

const url = 'http://127.0.0.1:1/mcp'
const malformed = 'A value of --header is not `NAME=VARIABLE`, the name of a header and of an environment variable.'
it.each<[string, readonly string[], string, string]>([
  ['text without a variable', ['--url', url, '--header', 'authorization'], 'TG0001', malformed],
  ['value', ['--url', url, '--header', `Authorization: Bearer ${TOKEN}`], 'TG0001', malformed],
  ['value after `=`', ['--url', url, '--header', `authorization=Bearer ${TOKEN}`], 'TG0001', malformed],
  ['token in place of a variable', ['--url', url, '--header', `authorization=${TOKEN}`], 'TG0001', malformed],
  [
    'name with a space',
    ['--url', url, '--header', 'my token=FILES_AUTH'],
    'TG0001',
    '--header cannot set a header with the name `my token`.',
  ],
  [
    'name that HTTP clients set',
    ['--url', url, '--header', 'Content-Length=FILES_AUTH'],
    'TG0001',
    '--header cannot set a header with the name `Content-Length`.',
  ],
  [
    'repeated name',
    ['--url', url, ...header, '--header', 'authorization=OTHER'],
    'TG0001',
    '--header sets `authorization` more than once.',
  ],
  ['command', [...header, '--', 'node', 'server.mjs'], 'TG0001', '--header needs a server over HTTP.'],
  ['file', ['--from', 'tools.json', ...header], 'TG0001', '--header needs a server over HTTP.'],
  [
    'login',
    ['--url', url, '--login', ...header],
    'TG0001',
    '--login and the header `authorization` exclude each other: the login sets this header.',
  ],
  [
    'missing variable',
    ['--url', url, '--header', 'x-key=UNSET_KEY'],
    'TG0014',
    'Cannot start or call the server: not set in the environment: `UNSET_KEY`.',
  ],
  [
    'value with a line break',
    ['--url', url, '--header', 'x-key=TWO_LINES'],
    'TG0014',
    'The value of an environment variable contains a line break or another character that a header cannot contain: `TWO_LINES` for the header `x-key`.',
  ],
])('reports a wrong --header: %s', async (_, words, code, message) => {
  const ran = await json([...importing, ...words], { ...AUTH, TWO_LINES: `${TOKEN}\n` })
  expect(ran).toMatchObject({ exitCode: 2, diagnostics: [{ code, message, next: expect.any(String) }] })
})

it('`check --live` needs the toolset, and a server over HTTP', async () => {
  const server = await tokenServer()
  await json([...importing, '--url', server, ...header], AUTH)
  expect((await json(['check', '--live', ...header], AUTH)).diagnostics).toMatchObject([
    { code: 'TG0001', message: 'The name of the toolset of this server is missing.' },
  ])
  const started = await json(['check', '--live', 'files', ...header, '--', 'node', 'server.mjs'], AUTH)
  expect(started.diagnostics).toContainEqual(
    expect.objectContaining({ code: 'TG0001', message: '--header needs a server over HTTP.' }),
  )
})

it('`init --from mcp` writes the headers to the import script and to the program', async () => {
  const server = await tokenServer()
  const words = ['init', '--yes', '--from', 'mcp', '--toolset', 'files', ...header]
  expect((await json(words)).diagnostics).toMatchObject([{ message: '--header needs a server over HTTP.' }])
  const service = await json(['init', '--yes', '--url', server, ...header])
  expect(service.diagnostics).toMatchObject([{ next: `Write \`--from mcp --url ${server}\`.` }])
  project.write({ 'toolgen.config.ts': undefined, 'package.json': undefined })
  expect(await json([...words, '--url', server, '--header', 'x-tenant=FILES_TENANT'])).toMatchObject({ exitCode: 0 })
  expect(project.read('src/serve.ts')).toContain(
    `httpCaller({ url: '${server}', headers: { authorization: process.env.FILES_AUTH ?? '', 'x-tenant': process.env.FILES_TENANT ?? '' } })`,
  )
  const [, ...script] = JSON.parse(project.read('package.json')).scripts.import.split(' ')
  const env = { ...AUTH, FILES_TENANT: 'a' }
  expect(await json(script, env)).toMatchObject({ diagnostics: [], tools: 1 })
  expect(await json(['generate'], env)).toMatchObject({ exitCode: 0 })
  expect(project.tsc('-p', '.')).toMatchObject({ code: 0, stdout: '' })
  expect((await run([], env, 'dist/src/main.js')).stdout).toContain('files_read')
})
