import { spawn } from 'node:child_process'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { drift } from '../../packages/codegen/src/cli/drift.js'
import { runInThread } from '../cli/command-thread.js'
import { createProject, type Project, plainEnvironment, type Ran, toolgenCommand } from '../cli/project.fixture.js'
import { endAll, listening } from '../mcp/http-server.fixture.js'

const TOKEN = 'ghp_0123456789abcdefTOKEN'
// A variable that was read from a file can end with a line break.
const AUTH = { FILES_TOKEN: `${TOKEN}\n` }
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

const environment = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  ...plainEnvironment(),
  XDG_CONFIG_HOME: project.root,
  ...more,
})

/** Runs the command asynchronously, because the server runs in this process. */
function run(args: readonly string[], env?: Readonly<Record<string, string>>, program = toolgenCommand): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: project.root,
    env: environment(env),
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
  return JSON.parse((await run(withJson(args), env)).stdout)
}

function withJson(args: readonly string[]): readonly string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  return args.toSpliced(end, 0, '--json')
}

const importing = ['import', 'mcp', 'files'] as const
const authorization = 'Bearer ${FILES_TOKEN}'
const header = ['--header', `Authorization: ${authorization}`] as const
const tenant = ['--header', 'x-tenant:${FILES_TENANT}'] as const

it('sends headers with environment variables, and records the references for later commands', async () => {
  const url = await tokenServer()
  const env = { ...AUTH, FILES_TENANT: 'a' }
  const first = await json([...importing, '--url', url, ...tenant, ...header], env)
  expect(first).toMatchObject({ diagnostics: [], tools: 1 })
  expect(new Set(requests.map((each) => JSON.stringify(each)))).toEqual(
    new Set([JSON.stringify({ authorization: `Bearer ${TOKEN}`, tenant: 'a' })]),
  )
  const recorded = JSON.parse(project.read('design/files.mcp.json'))
  expect(JSON.stringify(recorded.origin.headers)).toBe(JSON.stringify({ authorization, 'x-tenant': '${FILES_TENANT}' }))

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
      message: 'Cannot start or call the server: not set or empty in the environment: `FILES_TENANT`.',
      next: expect.stringContaining('Set the variable in the environment of toolgen, '),
    }),
  )
})

it('adds or replaces the headers of a recorded URL', async () => {
  const url = await tokenServer()
  await json([...importing, '--url', url, ...header], AUTH)
  const other = ['--header', 'authorization: ${OTHER}', '--header', 'x-tenant: acme']
  expect(await json([...importing, ...other], { OTHER: `Bearer ${TOKEN}` })).toMatchObject({ diagnostics: [] })
  expect(requests.at(-1)).toEqual({ authorization: `Bearer ${TOKEN}`, tenant: 'acme' })
  expect(JSON.parse(project.read('design/files.mcp.json')).origin).toEqual({
    url,
    headers: { authorization: '${OTHER}', 'x-tenant': 'acme' },
  })
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
  expect(none.next).toContain(`\`toolgen import mcp files --url ${url} --header 'authorization: Bearer \${TOKEN}'\``)

  const loggedIn = await json([...importing, '--url', url, '--login'])
  expect(loggedIn.diagnostics).toMatchObject([
    { code: 'TG0012', next: expect.stringContaining("--header 'authorization: ") },
  ])

  const wrong = await json([...importing, '--url', url, ...header], { FILES_TOKEN: `Bearer ${TOKEN}` })
  expect(wrong.diagnostics).toMatchObject([
    {
      code: 'TG0012',
      message: `The server \`${url}\` rejected the request with the HTTP status 403. Headers of the request: \`authorization\`.`,
      next: expect.stringContaining('the variable is the token without `Bearer`.'),
    },
  ])

  const without = await json([...importing, '--url', url, ...tenant], { FILES_TENANT: '1' })
  expect(without.diagnostics).toMatchObject([
    {
      code: 'TG0012',
      message: expect.stringContaining('HTTP status 401. Headers of the request: `x-tenant`.'),
      next: expect.stringContaining(`--url ${url} --header 'x-tenant:\${FILES_TENANT}' --login`),
    },
  ])
})

it('does not quote an error of the server, which can contain the token', async () => {
  const url = await tokenServer()
  const words = [...importing, '--url', url, ...header, ...tenant]
  expect((await json(words, { ...AUTH, FILES_TENANT: 'broken' })).diagnostics).toMatchObject([
    {
      code: 'TG0012',
      message: `The server \`${url}\` did not list its tools: it responded with the HTTP status 500.`,
    },
  ])
})

const url = 'http://127.0.0.1:1/mcp'
const malformed =
  'Value 1 of --header is not an HTTP header, which consists of a name, a colon and one line of ASCII text.'
const secret = (name: string): string =>
  `The value of the header \`${name}\` looks like a secret. It contains no reference such as \`\${TOKEN}\`.`
it.each<[string, readonly string[], string, string]>([
  ['name without a value', ['--url', url, '--header', 'authorization'], 'TG0001', malformed],
  ['value without a name', ['--url', url, '--header', `Bearer ${TOKEN}`], 'TG0001', malformed],
  ['`=` instead of `:`', ['--url', url, '--header', `authorization=${TOKEN}`], 'TG0001', malformed],
  ['empty value', ['--url', url, '--header', 'x-key: '], 'TG0001', malformed],
  ['name with a space', ['--url', url, '--header', `Bearer ${TOKEN}: x`], 'TG0001', malformed],
  ['two lines', ['--url', url, '--header', `x-tenant: ${TOKEN}\nx`], 'TG0001', malformed],
  ['another script', ['--url', url, '--header', 'x-tenant: \u5e97'], 'TG0001', malformed],
  ['secret', ['--url', url, '--header', `Authorization: Bearer ${TOKEN}`], 'TG6007', secret('authorization')],
  ['variable that the shell did not find', ['--url', url, '--header', 'cookie: id='], 'TG6007', secret('cookie')],
  ['secret key', ['--url', url, '--header', `X-API-Key:${TOKEN}`], 'TG6007', secret('x-api-key')],
  ['token of a known service', ['--url', url, '--header', `x-tenant: token ${TOKEN}`], 'TG6007', secret('x-tenant')],
  [
    'name that HTTP clients set',
    ['--url', url, '--header', 'Content-Length: ${FILES_TOKEN}'],
    'TG0001',
    '--header cannot set `content-length`.',
  ],
  [
    'repeated name',
    ['--url', url, ...header, '--header', 'authorization: ${OTHER}'],
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
    ['--url', url, '--header', 'x-key: ${UNSET_KEY}, ${BLANK}'],
    'TG0014',
    'Cannot start or call the server: not set or empty in the environment: `UNSET_KEY`, `BLANK`.',
  ],
  [
    'value with a line break',
    ['--url', url, '--header', 'x-key: ${TWO_LINES}'],
    'TG0014',
    'The value of the header `x-key` contains a line break or another character that HTTP does not allow.',
  ],
])('reports a wrong --header: %s', (_, words, code, message) => {
  const env = environment({ ...AUTH, BLANK: ' ', TWO_LINES: `${TOKEN}\nx` })
  const { stdout, stderr } = runInThread(withJson([...importing, ...words]), { cwd: project.root, env })
  outputs.push(stdout, stderr)
  const ran = JSON.parse(stdout)
  expect(ran).toMatchObject({
    exitCode: 2,
    diagnostics: [{ code, severity: 'error', message, next: expect.any(String) }],
  })
  if (code === 'TG6007') expect(ran.diagnostics[0].next).toContain('Use single quotes')
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
  const pasted = await json(['init', '--from', 'mcp', '--url', server, '--header', `authorization: ${TOKEN}`])
  expect(pasted.diagnostics).toMatchObject([{ code: 'TG6007' }])
  const literal = ['--header', 'x-more: `$' + '{a-b}\\ ${FILES_TENANT}$']
  expect(await json([...words, '--url', server, ...tenant, ...literal])).toMatchObject({ exitCode: 0 })
  expect(project.read('src/serve.ts')).toContain(
    `httpCaller({ url: '${server}', headers: { authorization: \`Bearer \${variable('FILES_TOKEN')}\`, 'x-more': \`\\\`\\\${a-b}\\\\ \${variable('FILES_TENANT')}$\`, 'x-tenant': \`\${variable('FILES_TENANT')}\` } })`,
  )
  const [, ...script] = JSON.parse(project.read('package.json'))
    .scripts.import.match(/'[^']*'|\S+/g)
    .map((word: string) => word.replaceAll("'", ''))
  const env = { ...AUTH, FILES_TENANT: 'a' }
  expect(await json(script, env)).toMatchObject({ diagnostics: [], tools: 1 })
  expect(await json(['generate'], env)).toMatchObject({ exitCode: 0 })
  expect(project.tsc('-p', '.')).toMatchObject({ code: 0, stdout: '' })
  expect((await run([], env, 'dist/src/main.js')).stdout).toContain('files_read')
  const { code, stderr } = await run([], { ...env, FILES_TENANT: ' ' }, 'dist/src/main.js')
  expect(code).toBe(1)
  expect(stderr).toContain('Error: The environment variable FILES_TENANT is not set.')
})
