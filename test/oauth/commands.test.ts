import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { oauth } from '../../packages/runtime/src/mcp.js'
import { createProject } from '../cli/project.fixture.js'
import { atEnd } from '../mcp/http-server.fixture.js'
import { authorizationServer, browse, callerOf, endAll, protectedShop, scriptedLogin, whoami } from './oauth.fixture.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const toolgen = join(root, 'packages/codegen/bin/toolgen.js')

afterEach(endAll)

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolgen-login-'))
  atEnd(async () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs toolgen with its own configuration folder, and opens each login page that it prints. No browser is found. */
function run(args: readonly string[], home: string, cwd = join(root, 'test'), opened: URL[] = []): Promise<Run> {
  const child = start(args, home, cwd)
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
    const [, page] = /Log in at (\S+)\n/.exec(stderr) ?? []
    if (page === undefined || opened.length > 0) return
    opened.push(new URL(page))
    void browse(new URL(page))
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}

function start(args: readonly string[], home: string, cwd: string): ChildProcess {
  const env = { HOME: home, XDG_CONFIG_HOME: home, PATH: '', NO_COLOR: '1' }
  return spawn(process.execPath, [toolgen, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

it('`import mcp --login` logs in and stores the tokens for later imports and checks', async () => {
  const { issuer, requests } = await authorizationServer()
  const { url } = await protectedShop(issuer)
  const home = newFolder()
  const config = `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/**/*.ts', output: 'gen' })
`
  const project = createProject({
    'package.json': '{ "private": true, "type": "module" }\n',
    'toolgen.config.ts': config,
  })
  atEnd(async () => project.remove())
  const outputs: string[] = []
  const command = async (args: readonly string[], opened?: URL[]): Promise<Run> => {
    const result = await run([...args, '--json'], home, project.root, opened)
    outputs.push(result.stdout, result.stderr)
    return result
  }

  const refused = await command(['import', 'mcp', 'shop', '--url', url])
  expect(refused.code).toBe(2)
  expect(JSON.parse(refused.stdout).diagnostics).toMatchObject([
    {
      code: 'TG0012',
      message: `The server \`${url}\` requires a login, and there are no valid tokens of an earlier one.`,
      next: `Log in with the browser: \`toolgen import mcp shop --url ${url} --login\`. Later commands use the stored tokens. If the server expects a fixed token instead, set a variable such as \`TOKEN\` to it, and run \`toolgen import mcp shop --url ${url} --header 'authorization: Bearer \${TOKEN}'\`.`,
    },
  ])

  const opened: URL[] = []
  const first = await command(['import', 'mcp', 'shop', '--url', url, '--login'], opened)
  expect(JSON.parse(first.stdout)).toMatchObject({ diagnostics: [], tools: 4 })
  expect(opened).toHaveLength(1)
  const [tokens = ''] = readdirSync(join(home, 'toolgen', 'tokens'))
  const stored = JSON.parse(readFileSync(join(home, 'toolgen', 'tokens', tokens), 'utf8')).value.tokens

  const again = await command(['import', 'mcp', 'shop'])
  expect(JSON.parse(again.stdout)).toMatchObject({ diagnostics: [] })
  const checked = await command(['check', '--live'])
  expect(JSON.parse(checked.stdout).live).toMatchObject([{ toolset: 'shop', state: 'same' }])
  expect(requests.filter((request) => request === 'POST /token')).toHaveLength(1)

  // Without the tokens, the check names the command of the login.
  rmSync(join(home, 'toolgen'), { recursive: true })
  const unauthorized = await command(['check', '--live'])
  expect(unauthorized.stdout).toContain('`toolgen import mcp shop --login`')

  const snapshot = readFileSync(join(project.root, 'design', 'shop.mcp.json'), 'utf8')
  for (const secret of [stored.access_token, stored.refresh_token]) {
    expect(typeof secret).toBe('string')
    for (const text of [...outputs, snapshot]) expect(text).not.toContain(secret)
  }
})

it.each([[['--from', 'tools.json', '--login']], [['--login', '--', 'node', 'server.mjs']]])(
  '`import mcp %j` is a usage error',
  async (args) => {
    const result = await run(['import', 'mcp', 'shop', '--json', ...args], newFolder(), newFolder())
    expect(JSON.parse(result.stdout).diagnostics).toMatchObject([
      { code: 'TG0001', message: '--login needs a server over HTTP.' },
    ])
  },
)

/** A module whose tool returns the user. */
const servedModule = `import { newToolCall, payloadCodec, resultCodec, toolSpec, toolsetRegistration } from '@toolgen/runtime/codegen/v1'
const payload = payloadCodec({ schema: { type: 'object' } })
const result = resultCodec({ schema: true })
const spec = toolSpec({ id: 'shop.whoami', title: 'Who', description: 'Who.', examples: [], hash: '0' }, payload, result)
const call = (args, options) => newToolCall(spec, payload, args, options)
const toolset = { name: 'shop', namespace: 'default', description: 'Shop.', tools: [{ spec, payload, result, call }] }
const execute = async ({ meta }) => ({ tenant: meta.labels.tenant })
export default {
  toolsets: [toolsetRegistration({ toolset, provider: 'service' }, { execute })],
  context: ({ claims }) => ({ labels: { tenant: claims.sub } }),
}
`

it('`serve --auth-issuer` serves only clients with tokens, and gives their claims to the module', async () => {
  const { issuer } = await authorizationServer()
  const project = createProject({ 'package.json': '{ "private": true, "type": "module" }\n', 'serve.js': servedModule })
  atEnd(async () => project.remove())
  const args = ['serve', 'serve.js', '--port', '0', '--auth-issuer', issuer, '--auth-scopes', 'read', '--json']
  const child = start(args, newFolder(), project.root)
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  atEnd(async () => {
    child.kill()
    await ended
  })
  await expect.poll(() => /"url": ?"([^"]+)"/.exec(output)?.[1]).toBeDefined()
  const url = /"url": ?"([^"]+)"/.exec(output)?.[1] ?? ''
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
  expect(await whoami(callerOf({ url, auth: oauth({ login: scriptedLogin() }) }))).toBe('ada')
})
