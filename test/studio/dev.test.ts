import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createProject, plainEnvironment, toolgenCommand } from '../cli/project.fixture.js'
import { listingServer } from '../mcp/listing-server.fixture.js'
import { isAlive } from '../mcp/served.fixture.js'
import { Dev, files, module, start } from './dev.fixture.js'

/** The command `script` of Linux runs a command in a terminal. */
const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0
const noTerminal = hasTerminal ? '' : ' (skipped: needs the command `script` of Linux)'

/** MCP server that lists the tools of a file, and logs its start. */
const server = listingServer({
  setup: `const [, , name] = process.argv
const tools = JSON.parse(readFileSync(name + '.json', 'utf8'))
appendFileSync('started.log', name + '\\n')`,
  name: 'name',
  listed: 'JSON.stringify({ tools })',
})

describe('toolgen dev', () => {
  it('shows the tools of a design alone, and new tools after a change', async () => {
    const { project, dev } = start()
    const client = await dev.client()
    expect(await client.get('api/project')).toMatchObject({
      name: 'shop',
      canCall: false,
      reason: expect.stringContaining('no module'),
      problems: [],
      reports: ['lint', 'tokens', 'diff', 'coverage', 'drift'],
    })
    const { definitions } = await client.get('api/tools/orders.getOrder')
    expect(definitions[0]).toMatchObject({ vendor: 'openai', tokens: expect.any(Number) })
    const sent = { tool: 'orders.getOrder', arguments: '{"orderId":""}' }
    expect(await client.post('api/validate', sent)).toMatchObject({ isValid: false })
    expect(await client.post('api/calls', sent)).toMatchObject({
      error: { message: expect.stringContaining('no module') },
    })
    project.write({ 'design/orders.ts': files['design/orders.ts'].replaceAll('getOrder', 'findOrder') })
    await dev.line(({ tools }) => tools === 1)
    expect((await client.get('api/tools')).tools).toMatchObject([{ id: 'orders.findOrder' }])
  })

  it('prints that a module without tools could not be loaded', async () => {
    const project = createProject({ ...files, 'src/serve.ts': 'export const other = 1\n' }, ['@toolgen/studio'])
    const options = { cwd: project.root, env: plainEnvironment() }
    const child = spawn(process.execPath, [toolgenCommand, 'dev', 'src/serve.ts', '--no-open', '--port', '0'], options)
    const ended = new Promise((resolve) => child.on('exit', resolve))
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended
      project.remove()
    })
    let printed = ''
    child.stderr.on('data', (text) => {
      printed += String(text)
    })
    await expect.poll(() => printed).toContain('press Ctrl+C to stop')
    expect(printed).toContain('error TG7002: ')
    expect(printed).toMatch(
      /^\S+ not loaded: src\/serve\.ts, so nothing can be called; the studio shows 1 tool of the generated code$/m,
    )
    expect(printed).not.toMatch(/ loaded: 1 tool/)
  })

  it('reports errors of the design, and keeps the earlier tools', async () => {
    const { project, dev } = start()
    const client = await dev.client()
    const projects = client.stream('api/events')
    await projects.next()
    project.write({ 'design/orders.ts': files['design/orders.ts'].replace('z.string()', 'z.none()') })
    let shown: any
    do shown = (await projects.next()).value
    while (shown.data.project?.problems.length !== 1)
    await projects.return(undefined)
    expect(shown.data.project.problems).toMatchObject([
      {
        severity: 'error',
        code: expect.stringMatching(/^TG/),
        place: expect.stringMatching(/^design\/orders\.ts:\d+:\d+$/),
      },
    ])
    expect((await client.get('api/tools')).tools).toMatchObject([{ id: 'orders.getOrder' }])
  })

  it('calls the tools of the module, and loads it again after a change', async () => {
    const { project, dev } = start({ 'src/tools.ts': module('1') }, 'src/tools.ts', '--port', '0')
    const client = await dev.client()
    const total = async (): Promise<unknown> => {
      const { run } = await client.post('api/calls', { tool: 'orders.getOrder', arguments: '{"orderId":"A-1"}' })
      await client.parts(run)
      return (await client.get(`api/runs/${run}`)).text
    }
    expect(await total()).toBe('{"total":1}')
    project.write({ 'src/tools.ts': module('2') })
    await dev.line()
    expect(await total()).toBe('{"total":2}')
    await expect.poll(() => dev.notes).toContain('closed 1')

    project.write({ 'src/tools.ts': 'throw new Error("no database")\n' })
    expect((await dev.line()).diagnostics).toMatchObject([{ code: 'TG7001' }])
    const broken = await client.get('api/project')
    expect(broken).toMatchObject({ canCall: false, problems: [{ message: expect.stringContaining('no database') }] })
    expect((await client.get('api/tools')).tools).toMatchObject([{ id: 'orders.getOrder' }])

    project.write({ 'src/tools.ts': module('3') })
    await dev.line()
    expect(await total()).toBe('{"total":3}')
    dev.child.kill('SIGINT')
    expect(await dev.ended).toBe(0)
    expect(dev.notes).toContain('closed 3')
  })

  it('has the reports of the commands', async () => {
    const client = await start().dev.client()
    expect(await client.get('api/contract/lint')).toMatchObject({ command: 'lint', counts: expect.any(Object) })
    expect(await client.get('api/contract/tokens')).toMatchObject({ command: 'tokens', agents: [{ name: 'orders' }] })
    expect(await client.get('api/contract/diff?base=gen')).toMatchObject({ command: 'diff', changes: [] })
    expect(await client.get('api/contract/coverage')).toEqual({
      ...{ command: 'coverage', exitCode: 0, diagnostics: expect.any(Array) },
      tools: [],
      transforms: [],
    })
    expect((await client.fetch('api/contract/other')).status).toBe(404)
    const wrong = await client.fetch('api/contract/diff?base=%00')
    expect([wrong.status, await wrong.json()]).toEqual([
      400,
      {
        error: {
          message: 'The base of the comparison contains a control character (base).',
          next: 'Send a Git revision, or the path of a lock file.',
        },
      },
    ])
  })

  it('compares imported MCP servers only when it is asked', async () => {
    const command = (name: string): readonly string[] => ['node', 'server.mjs', name]
    const listed = { name: 'rain', description: 'Rain of a city.', inputSchema: { type: 'object', properties: {} } }
    const project = createProject(
      {
        ...files,
        'weather.json': JSON.stringify([listed]),
        'broken.json': JSON.stringify([listed]),
        'captured.json': JSON.stringify({ tools: [listed] }),
        'server.mjs': server,
      },
      ['@toolgen/studio'],
    )
    onTestFinished(() => project.remove())
    for (const name of ['weather', 'broken']) {
      expect(project.toolgen('import', 'mcp', name, '--', ...command(name))).toMatchObject({ code: 0 })
    }
    expect(project.toolgen('import', 'mcp', 'captured', '--from', 'captured.json')).toMatchObject({ code: 0 })
    project.write({ 'started.log': '', 'broken.json': '' })
    const client = await new Dev(project, '--port', '0').client()
    expect(await client.get('api/contract/drift')).toMatchObject({ error: { next: 'Send a POST request.' } })
    expect((await client.fetch('api/contract/drift', { method: 'POST' })).status).toBe(415)
    expect(project.read('started.log')).toBe('')
    const states = async (): Promise<any> => {
      const { servers } = await client.post('api/contract/drift', {})
      return Object.fromEntries(servers.map((each: any) => [each.toolset, each]))
    }
    const first = await states()
    expect(first).toMatchObject({
      weather: { state: 'same', server: 'node server.mjs weather', changes: [], diagnostics: [] },
      broken: {
        state: 'unreachable',
        diagnostics: [
          {
            message: expect.stringContaining('The server `node server.mjs broken` did not list its tools'),
            next: expect.stringContaining('Start the server by hand'),
          },
        ],
      },
      captured: { state: 'skipped', diagnostics: [{ next: expect.stringContaining('toolgen check --live captured') }] },
    })
    expect(project.read('started.log').trim().split('\n').sort()).toEqual(['weather'])
    // Requests at the same time share one comparison.
    await Promise.all([states(), states()])
    expect(project.read('started.log').match(/weather/g)).toHaveLength(2)
    // Later requests compare again.
    project.write({ 'weather.json': JSON.stringify([{ ...listed, name: 'snow' }]) })
    expect((await states()).weather).toMatchObject({
      state: 'drifted',
      changes: [
        { tool: 'rain', kind: 'removed' },
        { tool: 'snow', kind: 'added' },
      ],
    })
  })

  it('limits the changes of an MCP server, and does not show its stderr and its error messages', async () => {
    const listed = (name: string): object => ({ name, description: 'A tool.', inputSchema: { type: 'object' } })
    const crash = `if (process.argv[2] === 'crash') { console.error('Error: bad token ' + process.env.TOKEN); process.exit(3) }\n`
    const refuse = `if (name === 'refuse' && method === 'tools/list') {
      const error = { code: -32001, message: 'bad token ' + process.env.TOKEN }
      console.log(JSON.stringify({ jsonrpc: '2.0', id, error }))
    } else `
    const made = {
      ...files,
      'many.json': JSON.stringify([listed('kept')]),
      'crash.json': JSON.stringify([listed('a')]),
      'refuse.json': JSON.stringify([listed('a')]),
    }
    const project = createProject({ ...made, 'server.mjs': server }, ['@toolgen/studio'])
    onTestFinished(() => project.remove())
    for (const name of ['many', 'crash', 'refuse']) {
      expect(project.toolgen('import', 'mcp', name, '--', 'node', 'server.mjs', name)).toMatchObject({ code: 0 })
    }
    const tools = Array.from({ length: 250 }, (_, index) => listed(`tool${String(index).padStart(3, '0')}`))
    const failing = server.replace('let text', `${crash}let text`).replace('if (id', `${refuse}if (id`)
    project.write({ 'many.json': JSON.stringify(tools), 'server.mjs': failing })
    vi.stubEnv('TOKEN', 'tok-secret-99')
    onTestFinished(() => void vi.unstubAllEnvs())
    const client = await new Dev(project, '--port', '0').client()
    const report = await client.post('api/contract/drift', {})
    const {
      crash: crashed,
      refuse: refused,
      many,
    } = Object.fromEntries(report.servers.map((each: any) => [each.toolset, each]))
    expect(crashed).toMatchObject({
      state: 'unreachable',
      diagnostics: [
        {
          message:
            'The server `node server.mjs crash` did not list its tools: it ended with code 3 before it responded.',
          next: expect.stringContaining('`toolgen check --live` in a terminal shows the messages of the server.'),
        },
      ],
    })
    expect(refused.diagnostics).toMatchObject([
      { message: 'The server `node server.mjs refuse` did not list its tools: it responded with the error -32001.' },
    ])
    expect(JSON.stringify(report)).not.toContain('tok-secret-99')
    const terminal = project.process('check', '--live')
    expect(terminal.stderr.split('tok-secret-99')).toHaveLength(3)
    expect([many.state, many.changes.length]).toEqual(['drifted', 200])
    expect(new Set(many.changes.map(({ message }: any) => message)).size).toBe(200)
    // The first change has the command that imports the tools again.
    expect(many.diagnostics).toMatchObject([
      { code: 'TG6010', severity: 'error', message: many.changes[0].message },
      { code: 'TG6010', severity: 'warning', message: 'And 51 more changes.' },
    ])
  })

  it('ends an MCP server that ignores signals if it is stopped while it compares servers', async () => {
    const rain = '[{ "name": "rain", "inputSchema": { "type": "object" } }]'
    const project = createProject({ ...files, 'rain.json': rain, 'server.mjs': server }, ['@toolgen/studio'])
    onTestFinished(() => project.remove())
    expect(project.toolgen('import', 'mcp', 'rain', '--', 'node', 'server.mjs', 'rain')).toMatchObject({ code: 0 })
    const hanging = `import { writeFileSync } from 'node:fs'
process.on('SIGTERM', () => undefined)
process.stdin.once('data', () => writeFileSync('server.pid', String(process.pid)))
setInterval(() => undefined, 1_000)
`
    project.write({ 'server.mjs': hanging, 'server.pid': '' })
    const dev = new Dev(project, '--port', '0')
    const client = await dev.client()
    const comparing = client.post('api/contract/drift', {}).catch(() => 'no response')
    await expect.poll(() => project.read('server.pid')).not.toBe('')
    dev.child.kill('SIGINT')
    expect([await dev.ended, await comparing]).toEqual([0, 'no response'])
    await expect.poll(() => isAlive(Number(project.read('server.pid')))).toBe(false)
  })

  it.skipIf(!hasTerminal)(`opens the browser without a secret in its arguments${noTerminal}`, async () => {
    const project = createProject(
      { ...files, 'bin/xdg-open': '#!/bin/sh\necho "$@" > "$OPENED.new" && mv "$OPENED.new" "$OPENED"\n' },
      ['@toolgen/studio'],
    )
    onTestFinished(() => project.remove())
    chmodSync(join(project.root, 'bin/xdg-open'), 0o755)
    const opened = join(project.root, 'opened')
    const env = { ...plainEnvironment(), OPENED: opened, PATH: `${join(project.root, 'bin')}:${process.env.PATH}` }
    const line = `exec '${process.execPath}' '${toolgenCommand}' dev --port 0`
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: project.root, env })
    const ended = new Promise((resolve) => child.on('exit', resolve))
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended
    })
    let printed = ''
    child.stdout.on('data', (text) => {
      printed += String(text)
    })
    await expect.poll(() => existsSync(opened)).toBe(true)
    const file = readFileSync(opened, 'utf8').trim()
    expect(file).toMatch(/^\/.*\/studio\.html$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const [, url = ''] = /url=(http:[^"]+)"/.exec(readFileSync(file, 'utf8')) ?? []
    const [, token] = /\?token=([\w-]+)/.exec(printed) ?? []
    expect([token, readFileSync(file, 'utf8')]).toEqual([expect.any(String), expect.not.stringContaining(token ?? '')])
    const { status, headers } = await fetch(url)
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
    expect(status).toBe(200)
    expect((await fetch(url)).status).toBe(401)
    expect((await fetch(new URL('api/project', url), { headers: { cookie } })).status).toBe(200)
    // The terminal sends the signal of Ctrl+C.
    child.stdin.write('\u0003')
    await ended
    expect(existsSync(file)).toBe(false)
  })

  it('uses a free port if the default port is in use, and fails if a chosen port is in use', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const { dev } = start({}, '--port', String(port))
    expect(await dev.line()).toMatchObject({
      diagnostics: [{ code: 'TG0017', message: expect.stringContaining('in use') }],
    })
    expect(await dev.ended).toBe(2)
  })

  it('fails without the package of the studio, and for a wrong command line', async () => {
    const project = createProject(files)
    onTestFinished(() => project.remove())
    const missing = project.process('dev', '--json', '--no-open')
    expect(JSON.parse(missing.stdout)).toMatchObject({
      diagnostics: [
        { code: 'TG0013', next: 'Install the studio in the project: `npm install --save-dev @toolgen/studio`.' },
      ],
    })
    expect(project.process('dev', '--port', 'x').code).toBe(2)
    expect(project.process('dev', 'src/none.ts').code).toBe(2)
  })
})
