import { once } from 'node:events'
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { tsc } from '../tsc.js'
import { createProject, type Project } from './project.fixture.js'

const templates = new URL('../../packages/codegen/templates/init/', import.meta.url)
const template = (path: string): string => readFileSync(new URL(`${path}.txt`, templates), 'utf8')
const fileSystemServer = fileURLToPath(
  new URL('../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', import.meta.url),
)

// Every test starts the command, which reads types; a busy machine needs its time.
let project: Project
beforeAll(() => {
  project = createProject({}, ['@toolgen/studio'])
})
afterAll(() => project.remove())

// The templates compile with the oldest supported version of TypeScript. `test/packages` compiles them with version 7.
describe('toolgen init', () => {
  it('refuses names and folders that its example could not have', () => {
    for (const [args, proposed] of [
      [['--toolset', 'class'], '`tickets`'],
      [['--toolset', 'a b'], '`tickets`'],
      [['--agent', '../x'], '`support`'],
      [['--design', '../x'], '`src/design`'],
      [['--output', '/abs'], '`src/gen`'],
      [['--design', 'node_modules/design'], '`src/design`'],
      [['--toolset', 'same', '--agent', 'same'], 'different names'],
      [['--output', 'design'], 'Choose another --output folder'],
      [['my-agent'], '`--dir my-agent`'],
      [['--', 'npx', '-y', 'foo'], 'do: Write `--from mcp -- npx -y foo` if this command starts an MCP server.\n'],
      [['--from', 'module', 'src/tools.ts'], '`toolgen import module NAME src/tools.ts`'],
      [['--from', 'openapi', '--', 'npx', 'a server'], "`--from mcp -- npx 'a server'`"],
      [['--from', 'mcp', 'npx', '-y', 'server'], 'after `--`: `--from mcp -- npx server`.'],
      [['--url', 'https://a.example'], '`--from mcp --url https://a.example`'],
      [['--document', 'api.yaml'], '`--from openapi --document api.yaml`'],
      [['--from', 'openapi', '--document', 'missing.yaml'], '`https:` URL'],
      [['--from', 'mcp', '--toolset', 'caller'], '`tickets`'],
      [['--from', 'module2'], 'toolgen init --help'],
      [['--from', 'module', '--agent', 'billing2'], '`--toolset`'],
    ] as const) {
      const { code, stderr } = project.toolgen('init', '--yes', ...args)
      expect(stderr).toContain('TG0001')
      expect(stderr).toContain(proposed)
      expect(code).toBe(2)
    }
    expect(project.tree()).toEqual({})
  })

  it('writes no files that would contain a secret of the user', () => {
    for (const [args, secret] of [
      [['mcp', '--url', 'https://a.example/?api_key=k4711'], 'api_key'],
      [['mcp', '--', 'npx', 'server', '--token', 'k4711'], 'token'],
      [['openapi', '--document', 'https://u:k4711@a.example/api.json'], 'password'],
    ] as const) {
      const { code, stderr } = project.toolgen('init', '--yes', '--from', ...args)
      expect(stderr).toContain(`TG6007: \`${secret}\` in the source of the tools looks like a secret.`)
      expect(stderr).toContain("`'${SECRET}'`")
      expect(stderr).not.toContain('k4711')
      expect(code).toBe(2)
    }
    expect(project.tree()).toEqual({})
  })

  it('writes a project that generates, checks, compiles and runs', () => {
    const { code, stderr } = project.toolgen('init', '--yes', '--toolset', 'shop', '--agent', 'assistant')
    expect(code).toBe(0)
    expect(stderr).toContain('npm install && npm start')
    expect(project.read('.gitignore')).toBe('node_modules\ndist\n')
    expect(JSON.parse(project.read('package.json')).devDependencies['@toolgen/dsl']).toMatch(/^\^\d/)
    expect(Object.keys(project.tree()).sort()).toEqual([
      '.gitignore',
      'design/assistant.agent.ts',
      'design/clients.ts',
      'design/shop.ts',
      'package.json',
      'src/main.ts',
      'src/serve.ts',
      'src/shop-client.ts',
      'toolgen.config.ts',
      'tsconfig.json',
    ])
    expect(project.toolgen('generate')).toMatchObject({ code: 0, stdout: '' })
    expect(project.toolgen('check')).toMatchObject({ code: 0, stdout: '' })
    expect(tsc('5.9', project.root, '-p', '.')).toMatchObject({ code: 0, stdout: '' })
    expect(project.node(['dist/src/main.js']).stdout).toBe(
      'This is the cheapest: {"items":[{"id":"I-3","name":"Cup","price":6.2}]}\n' +
        'I-3 Cup: 6.2 euros\nI-1 Lamp: 19.5 euros\nThere is no item I-99. Try another way.\n',
    )
    const client = project.read('dist/src/shop-client.js')
    const broken = client.replace('const affordable', "throw new Error('socket closed')\n        const affordable")
    project.write({ 'dist/src/shop-client.js': broken })
    expect(project.node(['dist/src/main.js'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The tool failed because of an internal error\. .* Error: socket closed\n/),
    })
  })

  it.each([
    {
      from: 'mcp',
      own: ['--', process.execPath, fileSystemServer, '.'],
      listed: 'tools_read_text_file: ',
      call: ['tools_list_directory', '{"path":"src"}'],
      result: '{"content":"[FILE] main.ts\\n[FILE] serve.ts"}\n',
    },
    {
      from: 'openapi',
      own: ['--document', 'api/pets.yaml'],
      listed: 'api_getPet: Read one pet\n',
      call: ['api_getPet', '{"id":"1"}'],
      result: 'Invalid arguments: id must be an integer. Correct example: {"id":1}\n',
    },
  ])(
    'writes a project that lists and calls the tools of your own source: $from',
    ({ from, own, listed, call, result }) => {
      const dir = `own-${from}`
      project.write({ 'api/pets.yaml': template('openapi-example/openapi.yaml') })
      expect(project.toolgen('init', '--from', from, '--dir', dir, '--yes', ...own)).toMatchObject({ code: 0 })
      const [, ...script] = JSON.parse(project.read(`${dir}/package.json`)).scripts.import.split(' ')
      expect(project.toolgen(...script.toSpliced(2, 0, '--cwd', dir))).toMatchObject({ code: 0 })
      expect(project.toolgen('generate', '--cwd', dir)).toMatchObject({ code: 0 })
      expect(tsc('5.9', project.root, '-p', dir)).toMatchObject({ code: 0, stdout: '' })
      const main = (...words: readonly string[]) =>
        project.node(['dist/src/main.js', ...words], {}, join(project.root, dir))
      expect(main().stdout).toContain(listed)
      expect(main(...call).stdout).toBe(result)
    },
  )

  it.each([
    { from: 'service', call: ['getItem', 'itemId=I-3'], result: { id: 'I-3', name: 'Cup', price: 6.2 } },
    { from: 'mcp', call: ['listNotes'], result: { titles: ['ideas', 'shopping'] } },
    { from: 'openapi', call: ['findPets', 'kind=dog'], result: [{ id: 2, kind: 'dog', name: 'Rex' }] },
    { from: 'module', call: ['findInvoices', 'customer=Bob'], result: { ids: ['I-2'] } },
  ])('writes a module for `call`, `dev` and `serve`, and configures it: $from', ({ from, call, result }) => {
    const packages = ['ai', '@modelcontextprotocol/client', '@modelcontextprotocol/server']
    const example = createProject({}, packages)
    onTestFinished(() => example.remove())
    expect(example.toolgen('init', '--from', from, '--yes')).toMatchObject({ code: 0 })
    expect(example.read('toolgen.config.ts')).toContain("module: 'src/serve.ts',")
    const { import: script } = JSON.parse(example.read('package.json')).scripts
    if (script !== undefined) expect(example.process(...script.split(' ').slice(1))).toMatchObject({ code: 0 })
    expect(example.toolgen('generate')).toMatchObject({ code: 0 })
    const { code, stdout } = example.process('call', ...call)
    expect([code, JSON.parse(stdout)]).toEqual([0, result])
    expect(tsc('5.9', example.root, '-p', '.')).toMatchObject({ code: 0, stdout: '' })
  })

  it.each([
    ['without a server', ''],
    ['with a relative server', 'servers:\n  - url: /v1\n'],
  ])('writes `baseUrl` to the program for a document %s, and the import says so', (_, servers) => {
    const folder = createProject()
    const document = template('openapi-example/openapi.yaml').replace(/^servers:.*\n/m, '')
    expect(document).not.toContain('servers:')
    folder.write({ 'api.yaml': `${document}${servers}` })
    expect(folder.toolgen('init', '--from', 'openapi', '--document', 'api.yaml', '--yes')).toMatchObject({ code: 0 })
    expect(folder.read('src/serve.ts')).toContain(
      `// Replace \`baseUrl\` with the URL of your API, because the document has no absolute URL of a server. Add \`auth\` for credentials, and \`headers\`.
export const assistant = registerAssistant(new Runtime(), { toolsets: { api: { baseUrl: 'https://api.example.com' } } })`,
    )
    const [, ...script] = JSON.parse(folder.read('package.json')).scripts.import.split(' ')
    const { code, stderr } = folder.toolgen(...script)
    expect(code).toBe(0)
    expect(stderr).toContain('warning TG6207: The URL of the API is unknown')
    expect(stderr).toContain(
      "do: Set it where you register the agent: `toolsets: { api: { baseUrl: 'https://api.example.com' } }`.",
    )
    expect(folder.toolgen('generate')).toMatchObject({ code: 0 })
    // `fetch` rejects port 1.
    folder.write({
      'src/serve.ts': folder.read('src/serve.ts').replace('https://api.example.com', 'http://127.0.0.1:1'),
    })
    expect(tsc('5.9', folder.root)).toMatchObject({ code: 0, stdout: '' })
    // The messages of the error and its cause, without a stack trace.
    expect(folder.node(['dist/src/main.js', 'api_getPet', '{"id":1}']).stderr).toBe(
      `If \`baseUrl\` in src/serve.ts is still https://api.example.com, replace it with the URL of your API.
For status 401 or 403, set \`auth\` in src/serve.ts.
TypeError: fetch failed
Error: bad port
`,
    )
    folder.remove()
  })

  it('writes no `baseUrl` for a document from a URL with a relative server, because the import resolves the server', async () => {
    const document = template('openapi-example/openapi.yaml').replace(/^servers:.*\n/m, '')
    const server = createServer((_, response) => void response.end(`${document}servers:\n  - url: /v1\n`))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const folder = createProject()
    onTestFinished(() => folder.remove())
    const source = ['--document', `http://127.0.0.1:${port}/api.yaml`]
    expect(await folder.start('init', '--from', 'openapi', ...source, '--yes')).toBe(0)
    expect(folder.read('src/serve.ts')).toContain('{ toolsets: { api: {} } }')
    const [, ...script] = JSON.parse(folder.read('package.json')).scripts.import.split(' ')
    expect(await folder.start(...script)).toBe(0)
    expect(folder.read('design/api.openapi.json')).toContain(`"server": "http://127.0.0.1:${port}/v1"`)
  })

  it('overwrites nothing: it lists what is in the way and writes nothing', () => {
    const before = project.tree()
    const { code, stderr } = project.toolgen('init', '--yes', '--toolset', 'other', '--agent', 'assistant')
    expect(code).toBe(2)
    expect(stderr).toContain('TG0002')
    for (const path of ['toolgen.config.ts', 'design/clients.ts', 'design/assistant.agent.ts', 'src/main.ts']) {
      expect(stderr).toContain(`- ${path}`)
    }
    expect(project.tree()).toEqual(before)
  })

  it('proposes to continue in a project that exists, and to import tools that exist', () => {
    expect(project.toolgen('init', '--yes', '--dir', 'again').code).toBe(0)
    const again = project.toolgen('init', '--yes', '--dir', 'again')
    expect(again).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('do: The project exists already: continue in it, or choose another --dir'),
    })
    project.write({ 'tools/src/tools.ts': '' })
    expect(project.toolgen('init', '--yes', '--from', 'module', '--dir', 'tools')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('existing project: `toolgen import module NAME src/tools.ts`.'),
    })
  })

  it('overwrites no file that stands where the generated code would go', () => {
    project.write({ 'taken/gen': 'x' })
    const { code, stderr } = project.toolgen('init', '--yes', '--dir', 'taken')
    expect(stderr).toContain('- gen')
    expect(code).toBe(2)
    project.write({ 'taken/gen': undefined })
  })

  it('keeps existing package.json and tsconfig.json files, and creates the given folder', () => {
    project.write({ 'sub/package.json': '{}', 'sub/tsconfig.json': '{}' })
    const ran = project.toolgen('init', '--json', '--dir', 'sub', '--design', 'src/design', '--output', 'src/gen')
    expect(JSON.parse(ran.stdout)).toMatchObject({
      exitCode: 0,
      written: expect.arrayContaining(['src/design/orders.ts', '.gitignore']),
      kept: ['package.json', 'tsconfig.json'],
    })
    expect(project.read('sub/package.json')).toBe('{}')
    expect(project.read('sub/tsconfig.json')).toBe('{}')
    expect(project.read('sub/src/design/clients.ts')).toContain("'../orders-client.js'")
    expect(project.read('sub/src/main.ts')).toContain("'./gen/agents/support/index.js'")
    expect(project.toolgen('init', '--dir', 'sub/tsconfig.json').stderr).toContain('TG0006')
  })

  it('says which files it kept, what they need, and what comes next', () => {
    project.write({ 'kept/package.json': '{ "devDependencies": { "zod": "4" } }', 'kept/.gitignore': '' })
    const { stderr } = project.toolgen('init', '--yes', '--dir', 'kept')
    expect(stderr).toContain('+ kept/design/orders.ts\n')
    expect(stderr).toMatch(
      /^kept: kept\/package\.json; the example needs "type": "module" and these dependencies: @toolgen\/runtime \^.*, typescript \^[\d.]+$/m,
    )
    expect(stderr).toContain('kept: kept/.gitignore\n')
    expect(stderr).toContain('Next: cd kept && npm pkg set type=module && npm install ')
    expect(stderr).toContain(' && npx toolgen generate && npx tsc && node dist/src/main.js\n')
  })

  it.each([
    ['{ "module": "commonjs", "types": ["node"] }', ['`"module": "NodeNext"`']],
    ['{ "target": "ES2020", "module": "NodeNext" }', ['`"target": "ES2022"`', '`"types": ["node"]`']],
    [
      '{ "target": "ES2020", "lib": ["DOM", "es2021"], "module": "NodeNext", "types": ["node"] }',
      ['`"ES2022"` in `"lib"`'],
    ],
    ['{ // "target": "ES2022",\n "target": "es5", "module": "Node20", "types": ["node"] }', ['`"target": "ES2022"`']],
    ['{ "target": "ES2020", "lib": ["es2023", "DOM"], "module": "NodeNext", "types": ["node"] }', []],
    ['{ "target": "esnext", "module": "NodeNext", /* "rootDir": "src", */ "types": ["node"] }', []],
  ])('says first what a tsconfig lacks that it kept: %s', (options, lacking) => {
    project.write({
      'old/package.json': '{ "type": "module" }',
      'old/tsconfig.json': `{ "compilerOptions": ${options} }`,
    })
    const { stderr } = project.toolgen('init', '--yes', '--dir', 'old')
    expect(stderr).toContain('kept: old/tsconfig.json\n')
    const set = lacking.length === 0 ? '' : `set ${lacking.join(', ')} in \`compilerOptions\` of tsconfig.json, then `
    expect(stderr).toContain(`Next: ${set}cd old && `)
    expect(stderr).toContain(' && npx toolgen generate && npx tsc && node src/main.js\n')
    rmSync(join(project.root, 'old'), { recursive: true })
  })

  it('says that another `rootDir` moves the output', () => {
    const options =
      '{ "target": "ES2022", "module": "NodeNext", "types": ["node"], "rootDir": "./src", "outDir": "build" }'
    const tsconfig = `{ "compilerOptions": ${options} }`
    const folder = createProject({ 'package.json': '{ "type": "module" }', 'tsconfig.json': tsconfig })
    onTestFinished(() => folder.remove())
    const { stderr } = folder.toolgen('init', '--yes')
    expect(stderr).toContain(
      'With `"rootDir": "."`, the output of `src` moves from `build` to `build/src`: delete `build`, and change these paths in package.json.\n',
    )
    expect(stderr).toContain('\nNext: set `"rootDir": "."` in `compilerOptions` of tsconfig.json, then ')
    expect(stderr).toContain(' && node build/src/main.js\n')
  })

  it('names the settings with which a project for ES2020 compiles and runs', () => {
    const target = (version: string): string =>
      `{ "compilerOptions": { "target": "${version}", "module": "NodeNext", "types": ["node"], "strict": true, "skipLibCheck": true, "outDir": "build" } }`
    const folder = createProject({ 'package.json': '{ "type": "module" }', 'tsconfig.json': target('ES2020') })
    const { stderr } = folder.toolgen('init', '--yes')
    expect(stderr).toContain('Next: set `"target": "ES2022"` in `compilerOptions` of tsconfig.json, then ')
    expect(stderr).toContain('npx toolgen generate && npx tsc && node build/src/main.js\n')
    folder.write({ 'tsconfig.json': target('ES2022') })
    expect(folder.toolgen('generate')).toMatchObject({ code: 0 })
    expect(tsc('5.9', folder.root)).toMatchObject({ code: 0, stdout: '' })
    expect(folder.node(['build/src/main.js'])).toMatchObject({ code: 0, stdout: expect.stringContaining('I-3 Cup') })
    folder.remove()
  })

  it('asks for the packages of the pnpm workspace in which it runs', () => {
    const built = fileURLToPath(new URL('../../packages/codegen', import.meta.url))
    const own = join(project.root, 'workspace/packages/codegen')
    for (const part of ['bin', 'dist', 'templates', 'package.json']) {
      cpSync(join(built, part), join(own, part), { recursive: true })
    }
    symlinkSync(join(built, 'node_modules'), join(own, 'node_modules'))
    project.write({ 'workspace/pnpm-workspace.yaml': 'packages:\n  - packages/*\n  - examples/*\n' })
    const dir = 'workspace/examples/new'
    const { code, stderr } = project.node([join(own, 'bin/toolgen.js'), 'init', '--yes', '--dir', dir])
    expect(stderr).toMatch(/\n\nNext: cd workspace\/examples\/new && pnpm install && pnpm start\n$/)
    expect(code).toBe(0)
    expect(JSON.parse(project.read(`${dir}/package.json`))).toMatchObject({
      dependencies: { '@toolgen/runtime': 'workspace:*' },
      devDependencies: { '@toolgen/codegen': 'workspace:*', '@toolgen/dsl': 'workspace:*', zod: '^4.6.7' },
    })
  })
})
